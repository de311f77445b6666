import type { Controller } from "../controller.ts";
import type { HostFolders } from "../folders.ts";
import type { HostIdentity } from "../host-identity.ts";
import type { Log } from "../log.ts";
import type { Redactor } from "../redactor.ts";
import { hostOwner, type ServiceUser } from "../service-user.ts";
import { readApplied } from "../state/applied.ts";
import type { Boot } from "../state/boot.ts";
import { readKeptDeclaration } from "../state/kept-declaration.ts";
import { readMark } from "../state/mark.ts";
import { readRefusals } from "../state/refusals.ts";
import type { Supervisor } from "../supervisor/supervisor.ts";
import { createApplyLoop, type ApplyLoop } from "./apply-loop.ts";
import { applyPass } from "./apply-pass.ts";
import type { Providers } from "./handlers.ts";
import { createInbox, type OpenInbox } from "./inbox.ts";
import { createOutbox } from "./outbox.ts";
import { createPatience } from "./patience.ts";
import { pollLoop } from "./poll-loop.ts";
import { createReporter } from "./reporter.ts";
import { createSecretOpener } from "./secrets.ts";
import { createStaleSayer } from "./stale-sayer.ts";

export interface HostLoopOptions {
  readonly identity: HostIdentity;
  readonly folders: HostFolders;
  readonly controller: Controller;
  readonly supervisor: Supervisor;
  readonly providers: Providers;
  readonly service: ServiceUser;
  readonly boot: Boot;
  readonly intervalMs: number;
  readonly log: Log;
  readonly redactor: Redactor;
  readonly nowMs: () => number;
  /** 0 ≤ chance < 1, for spreading retries. */
  readonly chance: () => number;
}

export interface HostLoop {
  /** A service has ended or was started again. */
  readonly lookAt: (id: string) => void;
  /** Fetch, accept, apply, report, until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** Puts the loop together from what is on disk. Throws InputError where that is damaged. */
export async function createHostLoop(options: HostLoopOptions): Promise<HostLoop> {
  const { identity, folders, controller, log, nowMs, chance } = options;
  const inbox = await openInbox(options);
  let lastWordMs: number | null = null;
  const onWord = (): void => {
    lastWordMs = nowMs();
  };
  const outbox = createOutbox({ controller, signKey: identity.signKey, log, chance, onWord });
  const { boot } = options;
  const report = createReporter({ identity, boot, inbox, nowMs, lastWordMs: () => lastWordMs, put: outbox.put });
  const loop = await createLoop(options, inbox, report);
  const sayStale = createStaleSayer(options, inbox, () => lastWordMs);
  return {
    lookAt: loop.lookAt,
    async run(signal) {
      const poll = pollLoop({ controller, inbox, log, chance, onWord, onChange: () => loop.look() }, signal);
      const stale = setInterval(sayStale, options.intervalMs);
      try {
        await Promise.all([poll, outbox.run(signal), loop.run(signal)]);
      } finally {
        clearInterval(stale);
      }
      log.info("host stopped", { dir: folders.dir });
    },
  };
}

async function openInbox({ identity, folders, log, nowMs }: HostLoopOptions): Promise<OpenInbox> {
  const stateFolder = folders.state;
  return createInbox({
    identity,
    stateFolder,
    log,
    nowMs,
    kept: await readKeptDeclaration(stateFolder),
    mark: await readMark(stateFolder),
    refusals: await readRefusals(stateFolder),
  });
}

async function createLoop(
  options: HostLoopOptions,
  inbox: OpenInbox,
  report: ReturnType<typeof createReporter>,
): Promise<ApplyLoop> {
  const { folders, controller, supervisor, providers, service, intervalMs, log, redactor, nowMs } = options;
  const patience = createPatience(nowMs);
  const secrets = createSecretOpener(options.identity.sealIdentity, redactor);
  const host = hostOwner();
  return createApplyLoop({
    inbox,
    applied: await readApplied(folders.state),
    intervalMs,
    log,
    nowMs,
    report,
    pass({ accepted, signal, ...rest }) {
      const { declaration, ordered } = accepted;
      const openSecret = (provision: string, version: number) => secrets.open(declaration, provision, version);
      const context = { folders, host, service, supervisor, controller, log, nowMs, signal, declaration, openSecret };
      return applyPass({ ...rest, context, providers, ordered, patience, redact: redactor.redact });
    },
  });
}
