import { afterEach, beforeEach, expect, it } from "vitest";
import { disarmFailpoints } from "../../src/core/failpoints.ts";
import { composeForPush } from "../../src/decide/compose-for-push.ts";
import { listSends, listSent, newestDeclaration } from "../../src/store/declarations.ts";
import { listPushes } from "../../src/store/pushes.ts";
import { inTransaction } from "../../src/store/transaction.ts";
import { loadWorld } from "../../src/store/world.ts";
import { openFlowMesh, type FlowMesh } from "./support/flow-mesh.ts";
import { holdAt } from "./support/hold-at.ts";
import { seedAssignment, seedBuild, seedNodes } from "./support/seed-mesh.ts";

let flow: FlowMesh;

beforeEach(async () => {
  flow = await openFlowMesh();
  await seedNodes(flow, ["node-a", "node-b"]);
});

afterEach(async () => {
  disarmFailpoints();
  await flow.close();
});

/** Where the first is while the second one comes, and what each of the two then sends. */
const overlaps = [
  [
    "the first waits before the gate until the second has told everybody",
    { point: "gate:before", waits: false, sends: [0, 2] },
  ],
  [
    "the first has its numbers and its view of the world, and the second waits for it",
    { point: "gate.composition:before", waits: true, sends: [2, 1] },
  ],
] as const;

it.each(overlaps)(
  "two pushes at once leave every machine with the newest composition, and claim only what happened: %s (R24, case 41)",
  async (_when, { point, waits, sends }) => {
    for (const module of ["app", "page"]) await seedBuild(flow, module, 1);
    await seedAssignment(flow, "node-a", "app");
    await seedAssignment(flow, "node-b", "app");
    const held = holdAt(point);
    const first = flow.push(["node-a", "node-b"]);
    await held.reached;
    // The world moves between the two.
    await seedAssignment(flow, "node-a", "page");
    const second = flow.push(["node-b", "node-a"]);
    if (waits) await expect.poll(listWaiting, { timeout: 30_000 }).not.toEqual([]);
    else await second;
    expect((await listPushes(flow.db, flow.mesh, 9)).filter(({ endedAt }) => endedAt === null)).toHaveLength(
      waits ? 2 : 1,
    );
    held.letGo();
    const results = await Promise.all([first, second]);
    expect(results.map(({ result }) => result.sent)).toEqual(sends);
    await expectNewest();
    expectOnlyWhatHappened(results, await listAllSends());
  },
);

async function expectNewest(): Promise<void> {
  const world = await inTransaction(flow.db, { isolation: "repeatable read" }, (tx) => loadWorld(tx, flow.mesh));
  const sent = await listSent(flow.db, flow.mesh);
  expect(sent.map(({ node }) => node)).toEqual(["node-a", "node-b"]);
  for (const { node, digest } of sent) expect(digest).toBe(composeForPush(world, node, { named: true }).digest);
  expect(Object.keys(sent[0]?.builds ?? {}).toSorted()).toEqual(["app", "page"]);
}

type Pushed = Awaited<ReturnType<FlowMesh["push"]>>;

function expectOnlyWhatHappened(results: readonly Pushed[], numbers: readonly number[]): void {
  for (const { result, told } of results) {
    expect(result.outcome).toBe("settled");
    expect(result.sent).toBe(new Set(told.filter((one) => one.outcome === "sent").map((one) => one.node)).size);
  }
  const claimed = results.flatMap(({ told }) => told.filter((one) => one.outcome === "sent")).map((one) => one.number);
  expect(claimed).toHaveLength(numbers.length);
  expect(new Set(claimed)).toEqual(new Set(numbers));
}

async function listAllSends(): Promise<number[]> {
  const sends = await Promise.all(["node-a", "node-b"].map((node) => listSends(flow.db, flow.mesh, node, 9)));
  return sends.flat().map((send) => send.order.number);
}

/** Who waits for the gate, as the server knows them. */
async function listWaiting(): Promise<readonly unknown[]> {
  const locks = `select pid from pg_locks where relation = 'mesh'::regclass and not granted
    and database = (select oid from pg_database where datname = current_database())`;
  return (await flow.db.query(locks)).rows;
}

it("declares nothing of a module that was never fit, and says so (R13)", async () => {
  await seedBuild(flow, "app", 1);
  await flow.db.query(`update module set fit_artifact = null, fit_inputs = null where mesh = $1`, [flow.mesh]);
  await seedAssignment(flow, "node-a", "app");
  const { told } = await flow.push(["node-a"]);
  expect(told).toMatchObject([{ node: "node-a", outcome: "not-worked-out" }]);
  expect(told[0]?.why).toContain("app");
  expect(await listSent(flow.db, flow.mesh)).toEqual([]);
});

it("keeps for a machine that is off only its newest declaration to fetch (R13)", async () => {
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
