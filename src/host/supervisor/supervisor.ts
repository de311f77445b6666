import type { Digest } from "../../core/names.ts";
import { describeFailure } from "../describe-failure.ts";
import type { OnDamaged } from "../state/set-aside.ts";
import { endOrphans, type Orphan } from "./end-orphans.ts";
import { endProcess, neverStartedNonce, nonceVariable } from "./end-process.ts";
import { readIdentity } from "./process-identity.ts";
import { isSessionLeader, listByEnvironment } from "./process-list.ts";
import { readRuns, type KeptRun } from "./run-file.ts";
import { ServiceProcess, type ServiceProcessOptions } from "./service-process.ts";
import type { ServiceRun, ServiceSpec } from "./service-run.ts";

/** Keeps services up as processes that outlive the host. */
export interface Supervisor {
  /** What is there, read from the system; null: never started. The spec is what it is started again with. */
  readRun(spec: ServiceSpec): Promise<ServiceRun | null>;
  /** How, when and how often it has ended since this was last asked, or null. */
  takeEnding(id: string): string | null;
  /** Runs exactly this: starts it, or ends another version first. Nothing when it runs already. */
  ensure(spec: ServiceSpec): Promise<void>;
  stop(id: string): Promise<void>;
  stopAll(): Promise<void>;
  /** Every service that is or was running: its id and the artifact it runs from. */
  list(): readonly { readonly id: string; readonly artifact: Digest }[];
  /** Leaves the services running and forgets the timers. */
  close(): void;
}

/** Adopted processes give no exit event. */
const watchMs = 500;
const rotateEveryMs = 60_000;
const defaultGraceMs = 10_000;

export type SupervisorOptions = Omit<ServiceProcessOptions, "graceMs"> & {
  readonly graceMs?: number;
  readonly onDamaged: OnDamaged;
};

/** Adopts what an earlier host left running (R44, R50). */
export async function createSupervisor(given: SupervisorOptions): Promise<Supervisor> {
  const options = { ...given, graceMs: given.graceMs ?? defaultGraceMs };
  const services = new Map<string, ServiceProcess>();
  const runs = await readRuns(options.folder, options.onDamaged);
  for (const run of runs) services.set(run.id, new ServiceProcess(await findStarted(run), options));
  let lost = await endLost(runs, options);
  const timers = [
    setInterval(() => forEach(services, options, (service) => service.watch()), watchMs),
    setInterval(() => forEach(services, options, (service) => service.rotate()), rotateEveryMs),
  ];
  const stop = async (id: string): Promise<void> => {
    await services.get(id)?.stop();
    services.delete(id);
  };
  return {
    readRun: async (spec) => (await services.get(spec.id)?.readRun(spec)) ?? null,
    takeEnding: (id) => services.get(id)?.takeEnding() ?? null,
    async ensure(spec) {
      for (const orphan of lost.filter(({ module }) => module === spec.module)) {
        await endProcess(orphan.started, options.graceMs, options.kernel);
        lost = lost.filter((other) => other !== orphan);
      }
      const service = services.get(spec.id) ?? new ServiceProcess(neverStarted(spec), options);
      services.set(spec.id, service);
      await service.ensure(spec);
    },
    stop,
    async stopAll() {
      await Promise.all([...services.keys()].map(stop));
    },
    list: () => [...services.values()].map(({ run }) => ({ id: run.id, artifact: run.artifact })),
    close() {
      for (const timer of timers) clearInterval(timer);
      for (const service of services.values()) service.close();
    },
  };
}

function forEach(
  services: ReadonlyMap<string, ServiceProcess>,
  { log }: Pick<ServiceProcessOptions, "log">,
  act: (service: ServiceProcess) => Promise<void>,
): void {
  for (const service of services.values()) {
    act(service).catch((error: unknown) => {
      log.warn("a service could not be looked at", { resource: service.run.id, why: describeFailure(error) });
    });
  }
}

/**
 * What only a damaged file led to, or one that there was no space for, runs something, but not what: it is ended, and the
 * next pass starts what is wanted. Answers what does not end: it keeps nobody from coming up but what would run beside it.
 */
async function endLost(runs: readonly KeptRun[], options: ServiceProcessOptions): Promise<readonly Orphan[]> {
  const { log } = options;
  const { ended, left } = await endOrphans(new Set(runs.map(({ nonce }) => nonce)), options);
  if (ended.length > 0) log.warn("services that no file leads to any more were ended", { count: ended.length });
  for (const { module, why } of left) {
    log.error("a service that no file leads to any more does not end", { module: module ?? "not known", why });
  }
  return left;
}

/** A kill between start and writing it down leaves a process that only its nonce leads to. */
async function findStarted(run: KeptRun): Promise<KeptRun> {
  if (run.identity !== null) return run;
  for (const pid of await listByEnvironment(`${nonceVariable}=${run.nonce}`)) {
    if (await isSessionLeader(pid)) return { ...run, identity: await readIdentity(pid) };
  }
  return run;
}

function neverStarted({ id, module, artifact, digest }: ServiceSpec): KeptRun {
  return {
    id,
    module,
    artifact,
    spec: digest,
    nonce: neverStartedNonce,
    identity: null,
    startedMs: 0,
    firstStartedMs: 0,
    endings: [],
    lastEnding: null,
    logBytes: 0,
    lastRanMs: null,
  };
}
