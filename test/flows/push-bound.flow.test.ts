import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openFlowMesh, type FlowMesh } from "./support/flow-mesh.ts";
import { databaseConsumer, databaseProvider, seedAssignment, seedBuild, seedNodes } from "./support/seed-mesh.ts";

let flow: FlowMesh;

beforeEach(async () => {
  flow = await openFlowMesh();
});

afterEach(async () => {
  await flow.close();
});

/** A world without rest, by its owner, who may write assignments: whenever the provider's node is sent something, its database server is to be on another port. */
async function moveProviderWithEachSend(): Promise<void> {
  await flow.db.query(`
    create function move_provider() returns trigger language plpgsql security definer as $$
    begin
      update assignment
         set config = config || jsonb_build_object('port', (coalesce(config ->> 'port', '5433')::integer + 1)::text)
       where mesh = new.mesh and node = new.node and module = 'postgres';
      return null;
    end $$`);
  await flow.db.query(`
    create trigger move_provider after insert on declaration
      for each row when (new.node = 'node-b') execute function move_provider()`);
}

describe("a push in a world that does not come to rest", () => {
  it("did not settle after five rounds, and names what still moves (R18, case 21)", async () => {
    await seedNodes(flow, ["node-a", "node-b", "node-c"]);
    await seedBuild(flow, "postgres", 1, databaseProvider);
    await seedBuild(flow, "consumer", 1, databaseConsumer);
    await seedAssignment(flow, "node-b", "postgres");
    await flow.push(["node-b"]);
    await seedAssignment(flow, "node-a", "consumer");
    await moveProviderWithEachSend();
    const { result, told } = await flow.push(["node-a"]);
    expect(result).toMatchObject({ outcome: "did-not-settle", rounds: 6 });
    // The consumer moves too: it is told where the provider was last sent to be.
    expect(result.moving).toContain("node-b");
    expect(result.moving).not.toContain("node-c");
    expect(result.message).toMatch(/did not settle in 6 rounds: .*node-b/);
    // Each round told what it had promised, and said why.
    const rounds = told.filter((one) => one.node === "node-b").map((one) => one.round);
    expect(rounds).toEqual([1, 2, 3, 4, 5]);
    expect(told.filter((one) => one.why === "")).toEqual([]);
  });
});
