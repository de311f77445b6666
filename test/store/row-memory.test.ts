import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Queryable } from "../../src/store/database.ts";
import { rememberRows } from "../../src/store/row-memory.ts";

const schema = z.object({ node: z.string(), builds: z.record(z.string(), z.string()).nullable() });
const sql = "select node, builds from declaration";

/** Answers each list of rows once, in turn; every answer is made anew, as a server's is. */
function answering(...answers: readonly (readonly unknown[])[]): Queryable {
  let at = 0;
  return {
    query: async () => {
      const rows = structuredClone(answers[at] ?? []);
      at += 1;
      return { rows: [...rows], count: rows.length };
    },
  };
}

const one = { node: "node-a", builds: { notes: "1" } };
const other = { node: "node-b", builds: null };

describe("rows that are remembered from one answer to the next (R26)", () => {
  it("are the same objects where nothing in them changed, and others where anything did", async () => {
    const read = rememberRows();
    const db = answering([one, other], [other, { ...one, builds: { notes: "2" } }], [{ ...one, builds: null }]);
    const first = await read(db, schema, sql);
    const second = await read(db, schema, sql);
    expect(second).toEqual([other, { node: "node-a", builds: { notes: "2" } }]);
    expect(second[0]).toBe(first[1]);
    expect(await read(db, schema, sql)).toEqual([{ node: "node-a", builds: null }]);
  });

  it("are those of their own statement, and of its last answer", async () => {
    const read = rememberRows();
    const named = z.object({ node: z.string() }).transform(({ node }) => ({ name: node }));
    const first = await read(answering([one]), schema, sql);
    expect(await read(answering([one]), named, "select node from node")).toEqual([{ name: "node-a" }]);
    expect((await read(answering([one]), schema, sql))[0]).toBe(first[0]);
    expect(await read(answering([]), schema, sql)).toEqual([]);
    const again = await read(answering([one]), schema, sql);
    expect(again).toEqual(first);
    expect(again[0]).not.toBe(first[0]);
  });

  it("are an error, each time, where one does not read as it should", async () => {
    const read = rememberRows();
    const bad = { node: 7, builds: null };
    const db = answering([one, bad], [one, bad], [one]);
    await expect(read(db, schema, sql)).rejects.toThrow("a record does not read as it should (node:");
    await expect(read(db, schema, sql)).rejects.toThrow("a record does not read as it should (node:");
    expect(await read(db, schema, sql)).toEqual([one]);
  });
});
