import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { disarmFailpoints } from "../../src/core/failpoints.ts";
import { pushWorkflowId } from "../../src/decide/ids.ts";
import { listSends } from "../../src/store/declarations.ts";
import { readLease, takeLease } from "../../src/store/lease.ts";
import { listTold } from "../../src/store/pushes.ts";
import { openFlowMesh, type FlowMesh } from "./support/flow-mesh.ts";
import { holdAt } from "./support/hold-at.ts";
import { databaseConsumer, databaseProvider, seedAssignment, seedBuild, seedNodes } from "./support/seed-mesh.ts";

let flow: FlowMesh;

beforeEach(async () => {
  flow = await openFlowMesh();
  await seedNodes(flow, ["node-a"]);
  await seedBuild(flow, "app", 1);
  await seedAssignment(flow, "node-a", "app");
});

afterEach(async () => {
  disarmFailpoints();
  await flow.close();
});

function startPush() {
  return flow.controller.startPush({
    mesh: flow.mesh,
    kind: "named",
    named: ["node-a"],
    requestedBy: "test",
    why: "",
    confirmRemoval: false,
  });
}

describe("a controller that is replaced", () => {
  it("leaves a push in its midst: one node told, the next one before the gate. It ends on the new one, each told once (R50, case 44)", async () => {
    await seedNodes(flow, ["node-b"]);
    await seedBuild(flow, "postgres", 1, databaseProvider);
    await seedBuild(flow, "consumer", 1, databaseConsumer);
    await seedAssignment(flow, "node-b", "postgres");
    await flow.push(["node-b"]);
    await seedAssignment(flow, "node-a", "consumer");
    const held = holdAt("gate:before", 2);
    const push = await startPush();
    await held.reached;
    expect(await listTold(flow.db, flow.mesh, push.pushId)).toMatchObject([
      { node: "node-a", round: 0, outcome: "sent" },
    ]);
    const stopped = flow.stopWorkers();
    await flow.takeOver();
    held.letGo();
    await stopped;
    expect(await push.result()).toMatchObject({ outcome: "settled", sent: 2, rounds: 2 });
    const told = await listTold(flow.db, flow.mesh, push.pushId);
    expect(told.map(({ node, round, outcome }) => `${node} in ${round}: ${outcome}`)).toEqual([
      "node-a in 0: sent",
      "node-b in 1: sent",
    ]);
    // What the one that was replaced would have sent last is not among them.
    expect(await listEpochs("node-a")).toEqual([1]);
    expect(await listEpochs("node-b")).toEqual([2, 1]);
  });

  it("gets nothing recorded under an epoch that is over, and the next one goes on (R36, cases 35, 36)", async () => {
    const seen = await readLease(flow.db, flow.mesh);
    await takeLease(flow.db, { mesh: flow.mesh, holder: "somebody else", ageMs: 15_000, seen });
    const push = await startPush();
    await expect.poll(() => countDeadEpochFailures(push.pushId), { timeout: 20_000 }).toBeGreaterThan(0);
    expect(await listSends(flow.db, flow.mesh, "node-a", 10)).toEqual([]);
    expect(await listTold(flow.db, flow.mesh, push.pushId)).toEqual([]);
    await flow.stopWorkers();
    await flow.takeOver();
    expect(await push.result()).toMatchObject({ outcome: "settled", sent: 1 });
    expect(await listEpochs("node-a")).toEqual([3]);
  });
});

/** Of what it was sent, the newest first. */
async function listEpochs(node: string): Promise<number[]> {
  return (await listSends(flow.db, flow.mesh, node, 10)).map((send) => send.order.epoch);
}

/** Failed attempts of `tell` in the round under way, as the server knows them. */
async function countDeadEpochFailures(pushId: string): Promise<number> {
  const handle = flow.client.workflow.getHandle(`${pushWorkflowId(flow.mesh, pushId)}/round-0`);
  try {
    const { raw } = await handle.describe();
    return (raw.pendingActivities ?? []).filter((one) => one.lastFailure?.message?.includes("epoch 1")).length;
  } catch (error) {
    if (error instanceof Error && error.name === "WorkflowNotFoundError") return 0; // the round has not begun
    throw error;
  }
}
