import { readFile } from "node:fs/promises";
import { leaseAgeMs } from "../decide/lease.ts";
import { listStandbys } from "../store/standbys.ts";
import { createWorkers, runWorkers } from "./create-workers.ts";
import { acquireLease, systemClock, type Lease, type LeaseStore } from "./lease-keeper.ts";
import { openLeaseStore } from "./lease-store.ts";
import { createLogger } from "./logger.ts";
import { closeDatabases, openParts, type ControllerParts } from "./open-parts.ts";
import { readPreparedRoles } from "./prepare-database.ts";
import type { ServeConfig } from "./serve-config.ts";
import { connectWorker } from "./temporal/connect-temporal.ts";
import { installTemporalRuntime } from "./temporal-runtime.ts";

export interface PushServer {
  /** Rejects with what kept it from acting; resolves when it was stopped. */
  readonly ended: Promise<void>;
  /** Lets what runs end, and gives the lease back. */
  stop(): Promise<void>;
}

export interface ToldOfLease {
  readonly onActing: (epoch: number) => void;
  /** This process must end: what it may still do is refused (R34). */
  readonly onLost: (why: string) => void;
}

/**
 * What a shell runs of a controller where none does (R40): under a lease of its own, and by all rules of the lease, the
 * workers that pushes need. It looks at no source, builds nothing and answers no host.
 */
export function servePushes(config: ServeConfig, told: ToldOfLease): PushServer {
  const stopping = new AbortController();
  const ended = serveUntil(config, told, stopping.signal);
  return {
    ended,
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

async function serveUntil(config: ServeConfig, told: ToldOfLease, stop: AbortSignal): Promise<void> {
  // A person reads this terminal: of the logs only what is wrong.
  const log = createLogger("error");
  const roles = await readPreparedRoles(config);
  const parts = await openParts(config, roles, log);
  const leases = openLeaseStore({ ...config, leaseRole: "shell" }, roles.enforced ? "controller" : undefined);
  try {
    const lease = await acquireLease(behindStandbys(leases.store, parts, config.mesh), systemClock, {
      signal: stop,
      onWaiting: () => undefined,
      onLost: told.onLost,
    });
    told.onActing(lease.epoch);
    const pushes = await openPushes(config, parts, lease, told).catch(async (error: unknown) => {
      // Nothing was begun under it.
      await lease.release();
      throw error;
    });
    // Where it fails, something may be running still: the lease ends by its age then, and not before it (R34).
    await pushes.run(stop);
    await lease.release();
  } catch (error) {
    // Stopped while it waited for the lease: nothing was begun.
    if (!(stop.aborted && error instanceof Error && error.name === "AbortError")) throw error;
  } finally {
    await leases.end();
    await closeDatabases(parts);
  }
}

/** A controller that stands by comes first: it does all that a shell does, and more. */
function behindStandbys(store: LeaseStore, { db }: ControllerParts, mesh: string): LeaseStore {
  return {
    ...store,
    async take(seen) {
      const standbys = await listStandbys(db, mesh);
      return standbys.some((one) => one.seenMsAgo <= leaseAgeMs) ? null : store.take(seen);
    },
  };
}

async function openPushes(
  config: ServeConfig,
  parts: ControllerParts,
  lease: Lease,
  told: ToldOfLease,
): Promise<{ run(stop: AbortSignal): Promise<void> }> {
  // Before anything is signed: the root in this folder may be of before the newest one was published elsewhere.
  await parts.trust.refresh(parts.db);
  installTemporalRuntime(parts.log);
  const connection = await connectWorker(config.temporal);
  try {
    const workers = await createWorkers({
      config,
      parts,
      lease,
      does: "pushes",
      connection,
      workflowBundle: await readFile(config.workflowBundleFile, "utf8"),
      onDeadEpoch: (error) => told.onLost(error.message),
    });
    return { run: (stop) => runWorkers(workers, stop).finally(() => connection.close()) };
  } catch (error) {
    await connection.close();
    throw error;
  }
}
