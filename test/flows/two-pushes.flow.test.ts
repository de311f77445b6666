import { afterEach, beforeEach, expect, it } from "vitest";
import { composeForPush } from "../../src/decide/compose-for-push.ts";
import { listSends, listSent, newestDeclaration } from "../../src/store/declarations.ts";
import { inTransaction } from "../../src/store/transaction.ts";
import { loadWorld } from "../../src/store/world.ts";
import { openFlowMesh, type FlowMesh } from "./support/flow-mesh.ts";
import { seedAssignment, seedBuild, seedNodes } from "./support/seed-mesh.ts";

let flow: FlowMesh;

beforeEach(async () => {
  flow = await openFlowMesh();
  await seedNodes(flow, ["node-a", "node-b"]);
});

afterEach(async () => {
  await flow.close();
});

it("two pushes at once leave every machine with the newest composition, and claim only what happened (R24)", async () => {
  for (const module of ["app", "page"]) await seedBuild(flow, module, 1);
  await seedAssignment(flow, "node-a", "app");
  await seedAssignment(flow, "node-b", "app");
  const first = flow.push(["node-a", "node-b"]);
  await seedAssignment(flow, "node-a", "page");
  const second = flow.push(["node-b", "node-a"]);
  const results = await Promise.all([first, second]);
  const world = await inTransaction(flow.db, { isolation: "repeatable read" }, (tx) => loadWorld(tx, flow.mesh));
  for (const sent of await listSent(flow.db, flow.mesh))
    expect(sent.digest).toBe(composeForPush(world, sent.node, { named: true }).digest);
  for (const { result, told } of results) {
    expect(result.outcome).toBe("settled");
    expect(result.sent).toBe(new Set(told.filter((one) => one.outcome === "sent").map((one) => one.node)).size);
  }
  const claimed = results.flatMap(({ told }) => told.filter((one) => one.outcome === "sent")).map((one) => one.number);
  const sends = [
    ...(await listSends(flow.db, flow.mesh, "node-a", 9)),
    ...(await listSends(flow.db, flow.mesh, "node-b", 9)),
  ];
  expect(new Set(claimed)).toEqual(new Set(sends.map((send) => send.order.number)));
  expect(claimed).toHaveLength(sends.length);
});

it("declares nothing of a module that was never fit, and says so (R13)", async () => {
  await seedBuild(flow, "app", 1);
  await flow.db.query(`update module set fit_artifact = null, fit_inputs = null where mesh = $1`, [flow.mesh]);
  await seedAssignment(flow, "node-a", "app");
  const { told } = await flow.push(["node-a"]);
  expect(told).toMatchObject([{ node: "node-a", outcome: "not-worked-out" }]);
  expect(told[0]?.why).toContain("app");
  expect(await listSent(flow.db, flow.mesh)).toEqual([]);
});

it("keeps for a machine that is off only its newest declaration to fetch (R13, case 32)", async () => {
  await seedAssignmentOfBuilds();
  const mail = await newestDeclaration(flow.db, flow.mesh, "node-a");
  const sends = await listSends(flow.db, flow.mesh, "node-a", 9);
  expect(sends).toHaveLength(3);
  expect(mail?.order).toEqual(sends[0]?.order);
  expect(mail?.digest).toBe(sends[0]?.digest);
});

async function seedAssignmentOfBuilds(): Promise<void> {
  for (const build of [1, 2, 3]) {
    await seedBuild(flow, "app", build);
    if (build === 1) await seedAssignment(flow, "node-a", "app");
    await flow.push(["node-a"]);
  }
}
