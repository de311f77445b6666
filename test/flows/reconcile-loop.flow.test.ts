import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { controlQueue, reconcileWorkflowId } from "../../src/decide/ids.ts";
import type { ReconcileInput } from "../../src/workflows/messages.ts";
import { listBuilds } from "../../src/store/builds.ts";
import { filesModule, isFitAt } from "./support/module-files.ts";
import { openReconcileMesh, type ReconcileMesh } from "./support/reconcile-mesh.ts";
import { waitUntil } from "./support/wait-until.ts";

let flow: ReconcileMesh;

beforeEach(async () => {
  flow = await openReconcileMesh();
});

afterEach(async () => {
  await flow.close();
});

/** The loop with runs so short that each round ends one; the id of its first run. */
async function startWithShortRuns(pending: ReconcileInput["pending"]): Promise<string> {
  const input: ReconcileInput = { schema: 1, mesh: flow.mesh, safetyIntervalMs: 3_600_000, roundsPerRun: 1, pending };
  const handle = await flow.client.workflow.start("reconcile", {
    taskQueue: controlQueue(flow.mesh),
    workflowId: reconcileWorkflowId(flow.mesh),
    args: [input],
  });
  return handle.firstExecutionRunId;
}

async function readHistory(runId: string) {
  const { events } = await flow.client.workflow.getHandle(reconcileWorkflowId(flow.mesh), runId).fetchHistory();
  return events ?? [];
}

describe("a run that continues as new", () => {
  it("lets its builds end before, and serves what it was handed (R7, R16)", async () => {
    await flow.origin.commit(filesModule("app", "one"));
    await flow.addModules("app");
    flow.gates.hold("app");
    // Nobody signals: only what the run before handed over says that there is something to do.
    const first = await startWithShortRuns([{ why: "left over" }]);
    await waitUntil("it is being built", async () => flow.gates.arrivals("app") === 1);
    const second = await flow.origin.commit(filesModule("app", "two"));
    await flow.wake("while it builds");
    flow.gates.release("app");
    await flow.asleep();
    expect(await isFitAt(flow, "app", second)).toBe(true);
    expect((await listBuilds(flow.db, flow.mesh, "app", 9)).map((one) => one.state)).toEqual(["fit", "fit"]);
    const events = await readHistory(first);
    expect(events.at(-1)?.workflowExecutionContinuedAsNewEventAttributes).toBeTruthy();
    expect(events.filter((event) => event.childWorkflowExecutionCompletedEventAttributes)).toHaveLength(2);
    expect(events.filter((event) => event.childWorkflowExecutionTerminatedEventAttributes)).toEqual([]);
  });

  it("loses no wake, whenever it comes (R7, case 1)", async () => {
    await flow.origin.commit(filesModule("app", "one"));
    await flow.addModules("app");
    const first = await startWithShortRuns([]);
    let newest = "";
    for (let at = 0; at < 6; at += 1) {
      newest = await flow.origin.commit(filesModule("app", `text ${at}`));
      await flow.wake(`commit ${at}`);
    }
    await flow.asleep();
    expect(await isFitAt(flow, "app", newest)).toBe(true);
    const now = await flow.client.workflow.getHandle(reconcileWorkflowId(flow.mesh)).describe();
    expect(now.runId).not.toBe(first);
  });
});
