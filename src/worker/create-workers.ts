import { Worker, type NativeConnection, type WorkerOptions } from "@temporalio/worker";
import { ApplicationFailure } from "@temporalio/common";
import type { ControlActivities } from "../activities/control.ts";
import type { DeadEpochError } from "../core/errors.ts";
import { buildQueue, controlQueue, deliverQueue } from "../decide/ids.ts";
import { createActivities } from "./create-activities.ts";
import type { Database } from "../store/database.ts";
import { type DatabaseRole, roleName } from "../store/writers/database-role.ts";
import type { Lease } from "./lease-keeper.ts";
import type { ControllerParts } from "./open-parts.ts";
import { sayRefusals } from "./say-refusals.ts";
import { graceMs } from "./say-waits.ts";
import type { ServeConfig } from "./serve-config.ts";

export interface WorkerParts {
  readonly config: ServeConfig;
  readonly parts: ControllerParts;
  readonly lease: Lease;
  /** All of a controller's work where it is left out. `pushes`: of a shell, which builds nothing (R40). */
  readonly does?: "everything" | "pushes";
  readonly connection: NativeConnection;
  /** Made by the build from src/workflows, with the same version of the SDK. */
  readonly workflowBundle: string;
  readonly onDeadEpoch: (error: DeadEpochError) => void;
}

/** Three queues: decisions, builds, and sends. Only the holder of the lease polls the last one. A shell polls no builds. */
export async function createWorkers(worker: WorkerParts): Promise<Worker[]> {
  const { config, parts, connection, workflowBundle } = worker;
  const saying = (db: Database, role: DatabaseRole): Pick<WorkerOptions, "interceptors"> => {
    const who = parts.roles.enforced ? roleName(role) : "the user of the database's address";
    return { interceptors: { activity: [sayRefusals({ db, mesh: config.mesh, log: parts.log, who })] } };
  };
  const shared: Pick<
    WorkerOptions,
    "connection" | "namespace" | "shutdownGraceTime" | "shutdownForceTime" | "stickyQueueScheduleToStartTimeout"
  > = {
    connection,
    namespace: config.temporal.namespace,
    // The defaults cut activities off at once; a service manager should wait 90 s.
    shutdownGraceTime: graceMs,
    shutdownForceTime: "60 seconds",
    stickyQueueScheduleToStartTimeout: "1 second",
  };
  const { control, build, deliver } = createActivities(worker);
  const builder = async (): Promise<Worker> =>
    Worker.create({
      ...shared,
      ...saying(parts.builderDb, "builder"),
      taskQueue: buildQueue(config.mesh),
      activities: build,
      // Of this machine; another that polls the same queue has its own.
      maxConcurrentActivityTaskExecutions: config.buildSlots,
    });
  return [
    await Worker.create({
      ...shared,
      ...saying(parts.db, "controller"),
      taskQueue: controlQueue(config.mesh),
      workflowBundle: { code: workflowBundle },
      activities: worker.does === "pushes" ? refuseOther(control) : control,
      maxCachedWorkflows: 200,
      maxConcurrentActivityTaskExecutions: 20,
    }),
    ...(worker.does === "pushes" ? [] : [await builder()]),
    // Batches queue at the gate anyway.
    await Worker.create({
      ...shared,
      ...saying(parts.db, "controller"),
      taskQueue: deliverQueue(config.mesh),
      activities: deliver,
      maxConcurrentActivityTaskExecutions: 4,
    }),
  ];
}

/** What the mesh's loop would look at and plan waits for a controller, which asks again soon after it came. */
function refuseOther(control: ControlActivities): ControlActivities {
  const refuse = async (): Promise<never> => {
    throw ApplicationFailure.create({
      message: "only a shell acts, to end its push: this waits for a controller",
      type: "WaitsForController",
      nextRetryDelay: "5 seconds",
    });
  };
  return { ...control, compareSources: refuse, planNextSteps: refuse };
}

/**
 * Runs them until the signal, or until one fails; then lets what runs end, of all of them: what one of them still does is
 * done under the lease. `onStop`: once, before that.
 */
export async function runWorkers(
  workers: readonly Worker[],
  stop: AbortSignal,
  onStop: () => void = () => undefined,
): Promise<void> {
  let isTold = false;
  const shutdown = (): void => {
    if (!isTold) onStop();
    isTold = true;
    for (const worker of workers) if (worker.getState() === "RUNNING") worker.shutdown();
  };
  stop.addEventListener("abort", shutdown, { once: true });
  try {
    const runs = workers.map((worker) => worker.run());
    if (stop.aborted) shutdown();
    // absence is the answer: which of them failed, and why, is told below
    await Promise.race(runs).then(shutdown, shutdown);
    const failed = (await Promise.allSettled(runs)).find((one) => one.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  } finally {
    stop.removeEventListener("abort", shutdown);
  }
}
