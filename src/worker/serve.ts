import { readFile } from "node:fs/promises";
import { Client } from "@temporalio/client";
import type { DeadEpochError } from "../core/errors.ts";
import { describeWebhook } from "../decide/own-reasons.ts";
import { createControllerClient } from "./client.ts";
import { createWorkers, runWorkers } from "./create-workers.ts";
import { acquireLease, systemClock, type Lease, type LeaseStore } from "./lease-keeper.ts";
import { createLogger } from "./logger.ts";
import { closeDatabases, openParts, type ControllerParts } from "./open-parts.ts";
import { noteOwner, noteRoles } from "./note-roles.ts";
import { hasLogins, prepareDatabase } from "./prepare-database.ts";
import type { ServeConfig } from "./serve-config.ts";
import { openLeaseStore } from "./lease-store.ts";
import { noteUnsafeBuilds } from "./note-unsafe-builds.ts";
import { type StandBy, standBy } from "./stand-by.ts";
import { resumePushes } from "./resume-pushes.ts";
import { startGateway } from "./start-gateway.ts";
import { sayWaits } from "./say-waits.ts";
import { installTemporalRuntime } from "./temporal-runtime.ts";
import { watchAccounts } from "./watch-accounts.ts";
import { watchArtifacts } from "./watch-artifacts.ts";
import { watchAsks } from "./watch-asks.ts";
import { watchDisks } from "./watch-disks.ts";
import { watchKeys } from "./watch-keys.ts";
import { watchLeftovers } from "./watch-leftovers.ts";
import { watchRecords } from "./watch-records.ts";
import { watchSecondBuilds } from "./watch-second-builds.ts";
import { watchSources } from "./watch-sources.ts";
import { reachTemporal, watchTemporal } from "./watch-temporal.ts";
import { watchWaits } from "./watch-waits.ts";

/**
 * The controller's process: takes the lease, then works until told to stop; lets what it holds end, and gives the lease
 * back. A lost lease ends the process at once: whoever holds it now goes on, and the gate refuses the rest (R34, R36).
 */
export async function serve(config: ServeConfig, stop: AbortSignal): Promise<void> {
  const log = createLogger(config.logLevel);
  installTemporalRuntime(log);
  const roles = await prepareDatabase(config);
  if (!hasLogins(config)) log.warn("this controller logs in as the owner of the tables: mesh database roles says more");
  const parts = await openParts(config, roles, log);
  const leases = openLeaseStore(config, roles.enforced ? "controller" : undefined);
  try {
    const lease = await waitForLease(config, parts, leases.store, stop);
    log.info({ mesh: config.mesh, epoch: lease.epoch, holder: config.holder }, "this controller acts for the mesh");
    const acting = await startActing(config, parts, lease);
    await acting.whenStopped(stop);
    await giveBack(parts, lease);
  } catch (error) {
    // Stopped while it waited for the lease: nothing was begun.
    if (!(stop.aborted && error instanceof Error && error.name === "AbortError")) throw error;
  } finally {
    await leases.end();
    await closeDatabases(parts);
  }
}

/** Stands by while another one acts: says who, since when, and again when that changes; and is seen in `mesh status`. */
async function waitForLease(
  config: ServeConfig,
  parts: ControllerParts,
  store: LeaseStore,
  stop: AbortSignal,
): Promise<Lease> {
  const { db, log } = parts;
  const waiting: { by: StandBy | null } = { by: null };
  try {
    return await acquireLease(store, systemClock, {
      signal: stop,
      onWaiting: ({ holder, epoch, takenAt }) => {
        log.info({ holder, epoch, since: takenAt }, `${holder} holds the lease since ${takenAt}; this one stands by`);
        waiting.by ??= standBy(db, config, log);
      },
      onLost: (why) => endAtOnce(parts, why),
      onUnanswered: (error) => log.warn({ err: error }, "the records do not answer: this controller asks again"),
    });
  } finally {
    await waiting.by?.stop();
  }
}

/** Exit code 75: try again later. The supervisor starts this process as a newcomer. */
function endAtOnce(parts: ControllerParts, why: string): void {
  parts.log.fatal({ why }, "the lease is lost: this controller ends");
  process.exit(75);
}

async function giveBack({ log }: ControllerParts, lease: Lease): Promise<void> {
  await lease.release();
  log.info({ epoch: lease.epoch }, "the lease was given back");
}

interface Acting {
  /** Works until it is to stop, and lets what it holds end. */
  whenStopped(stop: AbortSignal): Promise<void>;
}

/** Everything that works for the mesh is started, or, where a part of it cannot start, has ended again. */
async function startActing(config: ServeConfig, parts: ControllerParts, lease: Lease): Promise<Acting> {
  const started: (() => Promise<void>)[] = [];
  const endAll = async (): Promise<void> => {
    for (const end of started.splice(0).toReversed()) await end();
  };
  try {
    const run = await startParts(config, parts, lease, (end) => void started.push(end));
    return {
      whenStopped: async (stop) => {
        try {
          await run(stop);
        } finally {
          await endAll();
        }
      },
    };
  } catch (error) {
    try {
      await endAll();
      // Nothing acts any more: the next one need not wait for the age of this lease.
      await giveBack(parts, lease);
    } catch (left) {
      parts.log.warn({ err: left }, "what had been started did not end as it should: the lease ends by its age");
    }
    throw error;
  }
}

async function startParts(
  config: ServeConfig,
  parts: ControllerParts,
  lease: Lease,
  endWith: (end: () => Promise<void>) => void,
): Promise<(stop: AbortSignal) => Promise<void>> {
  const { log } = parts;
  // Only now: while another one acts, it is that one's machine that these are about.
  await noteRoles(parts.db, config.mesh, parts.roles);
  // Without roles that is said already.
  await noteOwner(parts.db, config.mesh, parts.roles.enforced && !hasLogins(config) ? "owner" : "logins");
  await noteUnsafeBuilds(parts.db, config.mesh, parts.sandboxes);
  // Before anything is signed: a root may have been published while this controller was away.
  await parts.trust.refresh(parts.db);
  const { native, connection } = await reachTemporal({ ...parts, mesh: config.mesh }, config.temporal);
  endWith(() => native.close());
  const controller = createControllerClient(new Client({ connection, namespace: config.temporal.namespace }), () =>
    connection.close(),
  );
  endWith(() => controller.close());
  const wake = (why: string): Promise<void> => controller.wakeReconcile({ mesh: config.mesh, why });
  const watch = watchSources({
    ...parts.look,
    describeToolchains: parts.describeToolchains,
    pollIntervalMs: config.pollIntervalMs,
    lostAfterMs: config.lostAfterMs,
    wake,
    log,
    random: Math.random,
  });
  endWith(() => watch.stop());
  for (const part of [
    watchKept(config, parts, lease),
    watchKeys({ ...parts, mesh: config.mesh, nowMs: Date.now }),
    watchTemporal({ ...parts, mesh: config.mesh, address: config.temporal.address, controller }),
    watchWaits({ ...parts, mesh: config.mesh }),
    watchAccounts({ ...parts, mesh: config.mesh }),
    watchDisks({ ...parts, mesh: config.mesh, folders: config.watchedFolders }),
    watchAsks({ ...config, ...parts, nowMs: Date.now }),
    resumePushes({ ...parts, mesh: config.mesh, controller, mayAct: () => lease.mayAct() }),
  ])
    endWith(() => part.stop());
  const gateway = await startGateway(config, parts, async (source) => {
    const repository = config.webhooks[source]?.repository;
    if (repository === undefined) return;
    watch.lookSoon(repository);
    await wake(describeWebhook(source));
  });
  endWith(() => gateway.close());
  const workers = await createWorkers({
    config,
    parts,
    lease,
    connection: native,
    workflowBundle: await readFile(config.workflowBundleFile, "utf8"),
    onDeadEpoch: (error: DeadEpochError) => endAtOnce(parts, error.message),
  });
  return async (stop) => {
    await wake(`controller ${config.holder} took over at epoch ${lease.epoch}`);
    log.info({ gateway: gateway.address }, "ready");
    await runWorkers(workers, stop, () => log.info(sayWaits(workers, config.mesh)));
  };
}

/** What was built: is it there, and does it come out the same again? And what of all that is needed no more? */
function watchKept(config: ServeConfig, parts: ControllerParts, lease: Lease): { stop(): Promise<void> } {
  const mayAct = (): boolean => lease.mayAct();
  const secondBuilds = watchSecondBuilds({
    ...parts.look,
    ...parts,
    db: parts.builderDb,
    sandboxFor: parts.sandboxes.sandboxFor,
    folders: { work: config.folders.builds, cache: config.folders.cache },
    registries: config.registries ?? {},
    limits: config.buildLimits ?? {},
    lostAfterMs: config.lostAfterMs,
    mayAct,
    random: Math.random,
  });
  const { mesh, folders, leftovers: bounds = {}, history = {} } = config;
  const artifacts = watchArtifacts({ ...parts, mesh, mayAct, random: Math.random });
  const leftovers = watchLeftovers({ ...parts, mesh, folders, bounds, mayAct, random: Math.random });
  const records = watchRecords({ ...parts, mesh, epoch: lease.epoch, history, mayAct, random: Math.random });
  return {
    async stop() {
      await records.stop();
      await secondBuilds.stop();
      await artifacts.stop();
      await leftovers.stop();
    },
  };
}
