import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { appendBuildLog, listBuildLog, sweepBuildLog } from "../../src/store/build-log.ts";
import { digestOf, mesh, openRecords, type Records } from "./open-records.ts";

let records: Records;
const inputs = digestOf("inputs");
const start = "2026-01-01T00:00:00.000Z";

beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());
beforeEach(() => records.db.query("truncate build_log"));

async function append(module: string, part: number, text: string): Promise<void> {
  await appendBuildLog(records.db, mesh, { module, inputs, attempt: 1, part, text });
}

it("is followed in the order it came, of some modules or of all", async () => {
  await append("core", 1, "one");
  await append("app", 1, "other");
  await append("core", 2, "two \0");
  const read = async (modules: string[]) =>
    (await listBuildLog(records.db, mesh, { modules, after: start })).map((part) => part.text);
  expect(await read([])).toEqual(["one", "other", "two \uFFFD"]);
  expect(await read(["core"])).toEqual(["one", "two \uFFFD"]);
  expect(await listBuildLog(records.db, mesh, { modules: [], after: "2999-01-01T00:00:00.000Z" })).toEqual([]);
});

it("keeps the newest parts of a build that prints without end, and the same part once", async () => {
  for (let part = 1; part <= 100; part += 1) await append("core", part, `part ${part}`);
  await append("core", 100, "again");
  const parts = await listBuildLog(records.db, mesh, { modules: [], after: start });
  expect(parts.map((part) => part.text)).toEqual(Array.from({ length: 64 }, (_, at) => `part ${at + 37}`));
});

it("is swept when it is old", async () => {
  await append("core", 1, "one");
  expect(await sweepBuildLog(records.db, mesh, 60_000)).toBe(0);
  await records.db.query("update build_log set at = now() - interval '2 minutes'");
  expect(await sweepBuildLog(records.db, mesh, 60_000)).toBe(1);
});
