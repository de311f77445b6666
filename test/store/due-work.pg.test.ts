import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { putArtifact } from "../../src/store/artifacts.ts";
import type { Queryable } from "../../src/store/database.ts";
import { describeDue } from "../../src/store/due-work.ts";
import { addModules, artifactOf, digestOf, manifestOf, mesh, openRecords, type Records } from "./open-records.ts";

const nodes = 3000;

let records: Records;
beforeAll(async () => {
  records = await openRecords();
  const { db } = records;
  await addModules(db, "web");
  const manifest = manifestOf("web", { upgrade: "auto" });
  await putArtifact(db, mesh, artifactOf("web", "new"), manifest);
  await db.query(
    `update module set compared_at = now(), manifest = $1, standing = 'current', fit_artifact = $2, fit_inputs = $2`,
    [JSON.stringify(manifest), digestOf("new")],
  );
  const listed = `generate_series(1, ${nodes}) as n`;
  await db.query(
    `insert into node (mesh, name, address, incarnation) select $1, 'n-' || n, '10.0.0.1', 'aaaa' from ${listed}`,
    [mesh],
  );
  await db.query(
    `insert into assignment (mesh, node, module, config, providers) select $1, 'n-' || n, 'web', '{}', '{}' from ${listed}`,
    [mesh],
  );
  await db.query(
    `insert into declaration (mesh, node, epoch, number, digest, incarnation, envelope, builds, push, round, why, issued_at, stale_after)
       select $1, 'n-' || n, 1, n, 'd', 'aaaa', '', '{"web": "old"}', 'by-a-person', 0, '', now(), now() from ${listed}`,
    [mesh],
  );
});
afterAll(() => records.close());

const open = (push: string, kind: "named" | "auto", from: number, ended: string | null) =>
  records.db.query(
    `insert into push (mesh, id, kind, named, requested_by, opened_at, ended_at)
       select $1, $2, $3, jsonb_agg('n-' || n), 'somebody', now() + $4::interval, now() + $4::interval
         from generate_series(${from}, ${nodes}) as n`,
    [mesh, push, kind, ended ?? "0"],
  );

interface PlanNode {
  readonly [more: string]: unknown;
  readonly Plans?: readonly PlanNode[];
}
const planSchema = z.tuple([z.object({ Plan: z.custom<PlanNode>() })]);

/** How often each step of the statement ran, by what it reads. */
async function countLoops(ask: (db: Queryable) => Promise<unknown>): Promise<ReadonlyMap<string, number>> {
  const loops = new Map<string, number>();
  // What was read once and is walked again from memory counts as read again.
  const note = (node: PlanNode, walked = 0): void => {
    const times = Math.max(Number(node["Actual Loops"]), walked);
    const read = node["Relation Name"] ?? node["Function Name"] ?? node["CTE Name"];
    if (typeof read === "string") loops.set(read, (loops.get(read) ?? 0) + times);
    for (const one of node.Plans ?? []) note(one, node["Node Type"] === "Materialize" ? times : 0);
  };
  await ask({
    query: async (sql, values) => {
      const { rows } = await records.db.query(`explain (analyze, timing off, format json) ${sql}`, values);
      note(planSchema.parse(Object.values(rows[0] as object)[0])[0].Plan);
      return { rows: [{ why: null }], count: 1 };
    },
  });
  return loops;
}

describe("what a person's push lets a policy go on with, asked at each poll (R33)", () => {
  it("costs one look at each name of the policy's push, however many nodes are due", async () => {
    const due = (db: Queryable) => describeDue(db, mesh, 60_000);
    await open("by-a-person", "named", nodes, "-5 minutes");
    expect(await due(records.db)).toBe("policies to follow: web");
    await open("most", "auto", 2, "-4 minutes");
    expect(await due(records.db)).toBe("policies to follow: web");
    await open("all", "auto", 1, "-3 minutes");
    expect(await due(records.db)).toBeNull();
    for (const statistics of ["none", "some"]) {
      if (statistics === "some") await records.db.query(`analyze push, node, assignment, declaration, module`);
      const loops = await countLoops(due);
      for (const read of ["push", "jsonb_array_elements_text", "followed"])
        expect(loops.get(read), `${read}, with ${statistics} of its statistics`).toBeLessThan(10);
    }
  });
});
