import { beforeEach, describe, expect, it } from "vitest";
import { digestValue } from "../../src/decide/digest.ts";
import { assign } from "../../src/store/assignments.ts";
import { addModule } from "../../src/store/modules.ts";
import { addModules, addNodes, grant, mesh, sendOne } from "../store/open-records.ts";
import { type CommandBed, openCommandBed } from "./command-bed.ts";

let bed: CommandBed;

beforeEach(async () => {
  bed = await openCommandBed();
  await addModules(bed.records.db, "web");
  await bed.run("node", "add", "shop-1", "--address", "10.0.0.7");
  return () => bed.close();
});

describe("mesh node remove", () => {
  it("takes a node with a slip in its name away: status has nothing more to say of it", async () => {
    await bed.run("node", "add", "typo-1", "--address", "10.0.0.8");
    expect((await bed.run("status")).stdout).toContain("typo-1");
    const ran = await bed.run("node", "remove", "typo-1");
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toMatch(
      /^typo-1 is no node of this mesh any more; the records of what it was sent go in time\n {2}next: mesh node list/,
    );
    expect((await bed.run("status")).stdout).not.toContain("typo-1");
    expect((await bed.run("why", "typo-1")).code).toBe(2);
    expect(await bed.documentOf("node", "remove", "shop-1")).toEqual({
      schema: "mesh.node-remove.v1",
      removed: { node: "shop-1" },
      enrolled: false,
      unread: false,
      givenUp: [],
    });
  });

  it("not while it has something to run or was last sent it: says what comes first (R48)", async () => {
    await bed.run("assign", "shop-1", "web");
    const epoch = await grant(bed.records.db);
    await sendOne(bed.records.db, epoch, "shop-1", { builds: { web: digestValue("web") } });
    const assigned = await bed.run("node", "remove", "shop-1", "--yes");
    expect([assigned.code, assigned.stderr]).toEqual([
      2,
      "mesh: shop-1 stays: web is assigned to it; the last declaration to it has web\n" +
        "  next: mesh unassign shop-1 web, then mesh push shop-1\n",
    ]);
    await bed.run("unassign", "shop-1", "web");
    expect((await bed.run("node", "remove", "shop-1", "--yes")).stderr).toContain("next: mesh push shop-1\n");
    await sendOne(bed.records.db, epoch, "shop-1");
    const unread = await bed.run("node", "remove", "shop-1");
    expect(unread.stderr).toMatch(
      /it has not reported what it was last sent.*\n {2}next: where that is meant: .* --yes/,
    );
    expect((await bed.run("node", "remove", "shop-1", "--yes")).code).toBe(0);
  });

  it("of many things in the way names the first, how many more, and the last step whole (R48)", async () => {
    const long = (at: number) => `m${at + 10}-${"x".repeat(59)}`;
    const modules = Array.from({ length: 20 }, (_, at) => long(at));
    for (const name of modules)
      await addModule(bed.records.db, mesh, { name, repository: "examples", branch: "main", path: name });
    for (const module of modules)
      await assign(bed.records.db, mesh, { node: "shop-1", module, config: {}, providers: {} });
    const next =
      modules
        .slice(0, 3)
        .map((module) => `mesh unassign shop-1 ${module}, then `)
        .join("") + "the same of the other 17, then mesh push shop-1";
    const ran = await bed.run("node", "remove", "shop-1", "--json");
    expect(ran.stderr).toContain(`  next: ${next}\n`);
    expect(JSON.parse(ran.stdout)).toMatchObject({ error: { next } });
    const nodes = Array.from({ length: 20 }, (_, at) => long(at));
    await addNodes(bed.records.db, ...nodes);
    for (const node of nodes) await assign(bed.records.db, mesh, { node, module: "web", config: {}, providers: {} });
    const epoch = await grant(bed.records.db);
    for (const node of nodes) await sendOne(bed.records.db, epoch, node, { builds: { web: digestValue("web") } });
    const module = await bed.run("module", "remove", "web");
    expect(module.stderr).toMatch(/the same of the other 17, then mesh push (m1\d-x+ ){2}m12-x+, then the other 17\n$/);
    const repository = await bed.run("repo", "remove", "examples");
    expect(repository.stderr).toMatch(/and 16 more follow it\n.*, then the same of the other 18\n$/);
  });

  it("an enrolled host is given up only where that is meant, and it is said that it goes on running", async () => {
    const { db } = bed.records;
    await db.query("update node set incarnation = 'aaaa'");
    const refused = await bed.run("node", "remove", "shop-1");
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/shop-1 stays: its host enrolled, and would be refused from then on\n/);
    const ran = await bed.run("node", "remove", "shop-1", "--yes");
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain("its host is refused from now on, and goes on running what it has");
    const { rows } = await db.query("select name, incarnation from removed_node where mesh = $1", [mesh]);
    expect(rows).toEqual([{ name: "shop-1", incarnation: "aaaa" }]);
    expect((await bed.run("node", "add", "shop-1", "--address", "10.0.0.7")).code).toBe(0);
  });

  it("not while the mesh is stopped (R35)", async () => {
    await bed.records.db.query("update mesh set stopped_at = now(), stopped_for = 'hosts-ahead'");
    const ran = await bed.run("node", "remove", "shop-1", "--yes");
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringMatching(/the mesh is stopped.*\n {2}next: mesh recover/)]);
  });
});
