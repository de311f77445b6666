import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pushWorkflowId } from "../../src/decide/ids.ts";
import { listSends } from "../../src/store/declarations.ts";
import { readLease, takeLease } from "../../src/store/lease.ts";
import { listTold } from "../../src/store/pushes.ts";
import { openFlowMesh, type FlowMesh } from "./support/flow-mesh.ts";
import { seedAssignment, seedBuild, seedNodes } from "./support/seed-mesh.ts";

let flow: FlowMesh;

beforeEach(async () => {
  flow = await openFlowMesh();
  await seedNodes(flow, ["node-a"]);
  await seedBuild(flow, "app", 1);
  await seedAssignment(flow, "node-a", "app");
});

afterEach(async () => {
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
  it("leaves a push that the next one ends, and nothing is sent twice (R50, case 44)", async () => {
    await flow.stopWorkers();
    const push = await startPush();
    await flow.takeOver();
    expect(await push.result()).toMatchObject({ outcome: "settled", sent: 1 });
    const sends = await listSends(flow.db, flow.mesh, "node-a", 10);
    expect(sends.map((send) => send.order.epoch)).toEqual([2]);
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
    const sends = await listSends(flow.db, flow.mesh, "node-a", 10);
    expect(sends.map((send) => send.order.epoch)).toEqual([3]);
  });
});

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
