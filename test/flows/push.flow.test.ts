import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ToldRecord } from "../../src/store/pushes.ts";
import { unassign } from "../../src/store/assignments.ts";
import { isBehind, whyBehind } from "../../src/decide/situation.ts";
import { listSent } from "../../src/store/declarations.ts";
import { listProvisions } from "../../src/store/provisions.ts";
import { loadMeshView } from "../../src/store/situations.ts";
import { situationLimits } from "../../src/worker/situation-limits.ts";
import { openFlowMesh, type FlowMesh } from "./support/flow-mesh.ts";
import { databaseConsumer, databaseProvider, seedAssignment, seedBuild, seedNodes } from "./support/seed-mesh.ts";

let flow: FlowMesh;

beforeEach(async () => {
  flow = await openFlowMesh();
});

afterEach(async () => {
  await flow.close();
});

/** `node-a: sent in 0` for every row, by round and node. */
function rows(told: readonly ToldRecord[]): string[] {
  return told.map((one) => `${one.node}: ${one.outcome} in ${one.round}`);
}

/** Why status calls a node behind; null: it does not. */
async function sayBehind(node: string): Promise<string | null> {
  const limits = situationLimits({ silentAfterMs: 60_000, pollIntervalMs: 5_000 });
  const view = await loadMeshView(flow.db, flow.mesh, { now: new Date().toISOString(), limits });
  const situation = view.situations.get(node);
  if (situation === undefined) throw new Error(`there is no node ${node}`);
  return isBehind(situation) ? whyBehind(situation) : null;
}

/** node-b provides databases and was told so once; `consumer` is assigned to node-a. */
async function seedProviderAndConsumer(): Promise<void> {
  await seedNodes(flow, ["node-a", "node-b", "node-c"]);
  await seedBuild(flow, "postgres", 1, databaseProvider);
  await seedBuild(flow, "consumer", 1, databaseConsumer);
  await seedAssignment(flow, "node-b", "postgres");
  await flow.push(["node-b"]);
  await seedAssignment(flow, "node-a", "consumer");
}

describe("a push across machines", () => {
  it("tells the provider's node in round 1, by name and with the reason, and settles (R17, R18, case 16)", async () => {
    await seedProviderAndConsumer();
    const { result, told } = await flow.push(["node-a"]);
    expect(rows(told)).toEqual(["node-a: sent in 0", "node-b: sent in 1"]);
    expect(told[1]?.why).toMatch(/database/);
    expect(result).toMatchObject({ outcome: "settled", sent: 2, rounds: 2 });
  });

  it("withdraws in the same push when the consumer is unassigned (R20, case 16)", async () => {
    await seedProviderAndConsumer();
    await flow.push(["node-a"]);
    await unassign(flow.db, flow.mesh, { node: "node-a", module: "consumer" });
    const { told } = await flow.push(["node-a"]);
    expect(rows(told)).toEqual(["node-a: sent in 0", "node-b: sent in 1"]);
    const provisions = await listProvisions(flow.db, flow.mesh);
    expect(provisions.map((one) => one.state)).toEqual(["owed"]);
  });

  it("sends nothing again when nothing moved (R29, R50)", async () => {
    await seedProviderAndConsumer();
    await flow.push(["node-a"]);
    const before = await listSent(flow.db, flow.mesh);
    const { told } = await flow.push(["node-a"]);
    expect(rows(told)).toEqual(["node-a: already-current in 0"]);
    expect(await listSent(flow.db, flow.mesh)).toEqual(before);
  });

  it("does not sweep in a machine that was behind for its own reasons, which status still calls behind (R19, R31, case 17)", async () => {
    await seedProviderAndConsumer();
    await seedBuild(flow, "other", 1);
    await seedAssignment(flow, "node-c", "other");
    await flow.push(["node-c"]);
    await seedBuild(flow, "other", 2);
    const before = await sayBehind("node-c");
    expect(before).toContain("other");
    const { told } = await flow.push(["node-a"]);
    expect(told.map((one) => one.node)).not.toContain("node-c");
    expect(await sayBehind("node-c")).toBe(before);
    // What status calls behind is what this tells.
    const behind = await flow.push([], { kind: "behind" });
    expect(rows(behind.told)).toEqual(["node-c: sent in 0"]);
    expect(await sayBehind("node-c")).toBeNull();
  });

  it("cascades at the builds last sent where the machine was behind too (R21, cases 18, 19)", async () => {
    await seedProviderAndConsumer();
    const first = (await listSent(flow.db, flow.mesh)).find((one) => one.node === "node-b")?.builds;
    await seedBuild(flow, "postgres", 2, databaseProvider);
    const { told } = await flow.push(["node-a"]);
    expect(rows(told)).toContain("node-b: sent in 1");
    const after = (await listSent(flow.db, flow.mesh)).find((one) => one.node === "node-b")?.builds;
    expect(after).toEqual(first);
  });

  it("holds a machine whose last send has no record of builds, and says how to send it (R21, case 20)", async () => {
    await seedProviderAndConsumer();
    await flow.db.query(`update declaration set builds = null where mesh = $1 and node = 'node-b'`, [flow.mesh]);
    const { result, told } = await flow.push(["node-a"]);
    expect(rows(told)).toEqual(["node-a: sent in 0", "node-b: held in 1"]);
    expect(told[1]?.why).toContain("push node-b");
    expect(result.held).toBe(1);
  });

  it("mints nothing where the provider's node was never told, and says so (R3, case 24)", async () => {
    await seedNodes(flow, ["node-a", "node-b"]);
    await seedBuild(flow, "postgres", 1, databaseProvider);
    await seedBuild(flow, "consumer", 1, databaseConsumer);
    await seedAssignment(flow, "node-b", "postgres");
    await seedAssignment(flow, "node-a", "consumer");
    const { result, told } = await flow.push(["node-a"]);
    expect(rows(told)).toEqual(["node-a: not-worked-out in 0"]);
    expect(result).toMatchObject({ outcome: "refused", sent: 0, notWorkedOut: 1 });
    expect(await listProvisions(flow.db, flow.mesh)).toEqual([]);
  });

  it("names a node that does not exist, and opens nothing (case 52)", async () => {
    await seedNodes(flow, ["node-a"]);
    await expect(flow.push(["node-z"])).rejects.toThrow("there is no node node-z");
  });
});
