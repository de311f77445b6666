import { openDeclaration, openKeptDeclaration } from "../../link/declaration-envelope.ts";
import { sealReport } from "../../link/report-envelope.ts";
import type { Controller } from "../controller.ts";
import type { HostFolders } from "../folders.ts";
import type { HostClock } from "../host-clock.ts";
import type { HostIdentity } from "../host-identity.ts";
import { writeRoot } from "../identity-files.ts";
import type { Log } from "../log.ts";
import type { Report, ReportPlace } from "../../core/report.ts";
import type { Redactor } from "../redactor.ts";
import { hostOwner, type ServiceUser } from "../service-user.ts";
import type { Boot } from "../state/boot.ts";
import { reportDamaged } from "../state/describe-damaged.ts";
import type { DamagedFile, OnDamaged } from "../state/set-aside.ts";
import { createHostDisk, type HostDisk } from "../state/host-disk.ts";
import type { Supervisor } from "../supervisor/supervisor.ts";
import { createAdminPasswordReader } from "../resources/read-admin-password.ts";
import { findTightDisks } from "../../disk/measure-room.ts";
import { createDiskWatch } from "./disk-watch.ts";
import { createApplyLoop, type ApplyLoop } from "./apply-loop.ts";
import { applyPass } from "./apply-pass.ts";
import type { Providers } from "./handlers.ts";
import type { Addressee } from "./check-envelope.ts";
import { createInbox, type OpenInbox } from "./inbox.ts";
import { createOutbox } from "./outbox.ts";
import { createPassEffects } from "./pass-effects.ts";
import { createPatience } from "./patience.ts";
import { pollLoop } from "./poll-loop.ts";
import { createReporter, type Reporter } from "./reporter.ts";
import { createRootWalk, type RootWalk } from "./root-walk.ts";
import { createSecretOpener } from "./secrets.ts";
import { createStaleSayer } from "./stale-sayer.ts";
import { walkLoop } from "./walk-loop.ts";

/** A newer root is asked for at every start, before every new declaration, and else this seldom. */
const intervalsPerWalk = 10;
/** Whether a heartbeat is due is asked this often, whatever the interval and whatever a pass is at. */
const beatEveryMs = 5_000;

export interface HostLoopOptions {
  readonly identity: HostIdentity;
  readonly folders: HostFolders;
  readonly controller: Controller;
  readonly supervisor: Supervisor;
  readonly providers: Providers;
  readonly service: ServiceUser;
  readonly boot: Boot;
  /** What was damaged and put aside at this start, so far and still to come. */
  readonly damaged: readonly DamagedFile[];
  readonly onDamaged: OnDamaged;
  readonly intervalMs: number;
  /** Files outside the root that modules may name as their servers' administrator's password. */
  readonly adminPasswordFiles: readonly string[];
  readonly log: Log;
  readonly redactor: Redactor;
  readonly clock: HostClock;
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
  const { identity, folders, controller, log, clock, chance } = options;
  const { nowMs } = clock;
  const disk = createHostDisk(folders.state, options.onDamaged);
  let look = (): void => undefined;
  const { inbox, walk } = await openInbox(options, disk, () => look());
  let lastWordMs: number | null = null;
  const onWord = (): void => {
    lastWordMs = nowMs();
  };
  const signReport = (made: Report): Uint8Array => sealReport(made, identity.signKey);
  const onBehind = (kept: ReportPlace): void => {
    reporter.hearBehind(kept);
    look();
  };
  const outbox = createOutbox({ controller, signReport, clock, log, chance, onWord, onBehind });
  const { boot } = options;
  const find = () => findTightDisks([folders.state, folders.root, folders.log]);
  const disks = createDiskWatch({ find, log, onChange: () => look() });
  const said = { lastWordMs: () => lastWordMs, tightDisks: () => disks.tight, unread: () => outbox.unread };
  const { intervalMs } = options;
  const reporter = createReporter({ identity, boot, intervalMs, inbox, nowMs, ...said, put: outbox.put });
  const loop = await createLoop(options, disk, inbox, reporter.report);
  look = loop.look;
  const sayStale = createStaleSayer({ log, nowMs }, inbox, () => lastWordMs);
  return {
    lookAt: loop.lookAt,
    async run(signal) {
      const poll = pollLoop({ controller, inbox, log, clock, chance, onWord, onChange: () => loop.look() }, signal);
      await disks.look();
      const endStale = clock.every(intervalMs, () => {
        sayStale();
        void disks.look();
      });
      const endBeats = clock.every(beatEveryMs, reporter.beat);
      const walks = walkLoop({ walk, clock, chance, everyMs: intervalMs * intervalsPerWalk }, signal);
      try {
        await Promise.all([poll, walks, outbox.run(signal), loop.run(signal)]);
      } finally {
        endStale();
        endBeats();
      }
      log.info("host stopped", { dir: folders.dir });
    },
  };
}

/** What is accepted depends on the root, and what a root is refused for is told with what else is refused. */
async function openInbox(
  { identity, folders, controller, log, clock: { nowMs } }: HostLoopOptions,
  disk: HostDisk,
  look: () => void,
): Promise<{ readonly inbox: OpenInbox; readonly walk: RootWalk }> {
  const { mesh, node, incarnation } = identity;
  const mine = { mesh, node, incarnation };
  const walk = createRootWalk({
    root: identity.root,
    controller,
    log,
    nowMs,
    write: (bytes) => writeRoot(folders, bytes),
    async onRefused(refusal) {
      await inbox.note(refusal);
      look();
    },
    onNewest: () => inbox.forget("root"),
  });
  const addressee: Addressee = {
    ...mine,
    open: (envelope, atMs) => openDeclaration(envelope, { ...mine, root: walk.root, nowMs: atMs }),
    openUnsigned: (envelope) => openKeptDeclaration(envelope, mine),
  };
  const inbox = await createInbox({ addressee, renewRoot: () => walk.walk(), disk, log, nowMs });
  return { inbox, walk };
}

async function createLoop(
  options: HostLoopOptions,
  disk: HostDisk,
  inbox: OpenInbox,
  report: Reporter["report"],
): Promise<ApplyLoop> {
  const { folders, controller, supervisor, providers, service, intervalMs, log, redactor, clock } = options;
  const { nowMs } = clock;
  const patience = createPatience(nowMs);
  const secrets = createSecretOpener(options.identity.sealIdentity, redactor);
  const host = hostOwner();
  const readAdminPassword = createAdminPasswordReader({ folders, service, named: options.adminPasswordFiles, log });
  return createApplyLoop({
    inbox,
    applied: await disk.readApplied(),
    damaged: reportDamaged(options.damaged),
    intervalMs,
    log,
    clock,
    report,
    pass({ accepted, signal, ...rest }) {
      const { declaration, ordered } = accepted;
      const openSecret = (provision: string, version: number) => secrets.open(declaration, provision, version);
      const opens = { openSecret, readAdminPassword };
      const context = { folders, host, service, supervisor, controller, log, nowMs, signal, declaration, ...opens };
      const effects = createPassEffects(context, providers);
      const content = declaration.digest;
      return applyPass({ ...rest, content, effects, disk, log, signal, ordered, patience, redact: redactor.redact });
    },
  });
}
