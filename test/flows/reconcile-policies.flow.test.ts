import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listSends, listSent } from "../../src/store/declarations.ts";
import { filesModule, readModule } from "./support/module-files.ts";
import { openReconcileMesh, type ReconcileMesh } from "./support/reconcile-mesh.ts";
import { pushNode } from "./support/push-node.ts";
import { seedAssignment, seedNodes } from "./support/seed-mesh.ts";

let flow: ReconcileMesh;

beforeEach(async () => {
  flow = await openReconcileMesh();
});

afterEach(async () => {
  await flow.close();
});

/** Sent so far, by node. */
async function countSends(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const node of ["node-a", "node-b", "node-c"])
    counts[node] = (await listSends(flow.db, flow.mesh, node, 99)).length;
  return counts;
}

/** `app` (auto) on node-a and `page` (record) on node-b, both told; `app` is assigned to node-c, which was never told. */
async function tellBoth(): Promise<void> {
  await flow.origin.commit({ ...filesModule("app", "one", "upgrade: auto\n"), ...filesModule("page", "one") });
  await flow.addModules("app", "page");
  await flow.look();
  await seedNodes(flow, ["node-a", "node-b", "node-c"]);
  await seedAssignment(flow, "node-a", "app");
  await seedAssignment(flow, "node-b", "page");
  await pushNode(flow, "node-a");
  await pushNode(flow, "node-b");
  await seedAssignment(flow, "node-c", "app");
}

describe("a module that became fit", () => {
  it("under auto is declared at once on the nodes that run it, and nowhere else (R14)", async () => {
    await tellBoth();
    await flow.origin.commit(filesModule("app", "two", "upgrade: auto\n"));
    await flow.look();
    expect(await countSends()).toEqual({ "node-a": 2, "node-b": 1, "node-c": 0 });
    const sent = (await listSent(flow.db, flow.mesh)).find((one) => one.node === "node-a");
    expect(sent?.builds).toEqual({ app: (await readModule(flow, "app")).fitArtifact });
    const [newest] = await listSends(flow.db, flow.mesh, "node-a", 1);
    expect(newest?.why).toContain("app became fit, and its policy is auto");
  });

  it("under record is recorded, and nobody is told (R14, case 19)", async () => {
    await tellBoth();
    const before = await readModule(flow, "page");
    await flow.origin.commit(filesModule("page", "two"));
    await flow.look();
    const after = await readModule(flow, "page");
    expect(after.fitArtifact).not.toBe(before.fitArtifact);
    expect(await countSends()).toEqual({ "node-a": 1, "node-b": 1, "node-c": 0 });
  });

  it("under auto leaves a newer build under record where it was, on the same node (R14, R21)", async () => {
    await tellBoth();
    await seedAssignment(flow, "node-a", "page");
    await pushNode(flow, "node-a");
    const page = (await readModule(flow, "page")).fitArtifact;
    await flow.origin.commit({ ...filesModule("app", "two", "upgrade: auto\n"), ...filesModule("page", "two") });
    await flow.look();
    const sent = (await listSent(flow.db, flow.mesh)).find((one) => one.node === "node-a");
    expect(sent?.builds).toEqual({ app: (await readModule(flow, "app")).fitArtifact, page });
    expect((await readModule(flow, "page")).fitArtifact).not.toBe(page);
  });
});
