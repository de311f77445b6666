import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UnavailableError } from "../../../src/core/errors.ts";
import type { ResourceReport } from "../../../src/core/report.ts";
import type { Resource, ResourceOf } from "../../../src/core/resource.ts";
import { digestValue } from "../../../src/decide/digest.ts";
import { applyPass } from "../../../src/host/cycle/apply-pass.ts";
import { createPatience } from "../../../src/host/cycle/patience.ts";
import { NoAnswerError } from "../../../src/host/providers/no-answer.ts";
import { readApplied, writeApplied } from "../../../src/host/state/applied.ts";
import { makeFolder, textFile } from "../../support/host-bed.ts";

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const withdrawn = { id: "grant/pg/postgresql", state: "applied", provisions: [] };
let folder: string;
let removes: (resource: Resource) => void;
let removed: string[];

beforeEach(async () => {
  folder = await makeFolder();
  removes = () => undefined;
  removed = [];
});

afterEach(() => rm(folder, { recursive: true, force: true }));

function grantOf(module: string): ResourceOf<"grant"> {
  return {
    id: `grant/${module}/postgresql`,
    module,
    after: [`service/${module}/main`],
    kind: "grant",
    provider: "postgresql",
    endpoint: { host: "node-a", port: 5432 },
    admin: "127.0.0.1:5432",
    adminUser: "postgres",
    adminPasswordFile: "data/pg/admin",
    grants: [],
  };
}

function serviceOf(module: string): ResourceOf<"service"> {
  const artifact = digestValue(module);
  const id = `service/${module}/main`;
  const rest = { command: ["node"], env: {}, restartOn: [], presence: [] };
  return { id, module, after: [`file/${module}/settings`], kind: "service", artifact, ...rest };
}

const settings = { ...textFile("settings", "x"), id: "file/pg/settings", module: "pg" };
const pg: readonly Resource[] = [settings, serviceOf("pg"), grantOf("pg")];

/** One pass of a host that has nothing in memory: what an earlier one knew, it has from its disk. */
async function pass(ordered: readonly Resource[]): Promise<readonly ResourceReport[]> {
  const { reports } = await applyPass({
    content: digestValue(ordered),
    ordered,
    applied: await readApplied(folder),
    settled: new Map(),
    seen: new Set(),
    effects: {
      apply: ({ id, kind }) => {
        const provisions = kind === "grant" ? { provisions: [{ provision: "read", version: 1 }] } : {};
        return Promise.resolve({ id, state: "applied" as const, message: "as wanted", ...provisions });
      },
      async remove(resource) {
        removes(resource);
        removed.push(resource.id);
        return { kind: "removed" };
      },
      collect: () => Promise.resolve([]),
    },
    disk: { writeApplied: (applied) => writeApplied(folder, applied) },
    log,
    signal: new AbortController().signal,
    patience: createPatience(() => 0),
    redact: (text) => text,
    onReport: () => undefined,
    onApplied: () => undefined,
  });
  return reports;
}

function failOf(id: string, error: Error): void {
  removes = (resource) => {
    if (resource.id === id) throw error;
  };
}

describe("a grant that is not wanted any more", () => {
  it("is said to have nothing granted by every later pass, until it is wanted again (R20)", async () => {
    await pass(pg);
    // The first of these reports may be lost, and the host with it; the next declaration knows nothing of it.
    for (const text of ["one", "one", "two"]) {
      const file = textFile("notes", text);
      expect(await pass([file])).toEqual([
        expect.objectContaining(withdrawn),
        expect.objectContaining({ id: file.id }),
      ]);
    }
    const again = await pass(pg);
    expect(again.filter(({ id }) => id === withdrawn.id)).toMatchObject([{ provisions: [{ provision: "read" }] }]);
    expect(await readApplied(folder)).toMatchObject({ withdrawn: [] });
  });

  it("is said so too where its server went with it and did not answer", async () => {
    await pass(pg);
    failOf(withdrawn.id, new NoAnswerError("127.0.0.1:5432 refuses"));
    expect(await pass([])).toEqual([expect.objectContaining(withdrawn)]);
    expect(await pass([])).toEqual([expect.objectContaining(withdrawn)]);
  });

  it.each([
    { who: "refuses the host", error: new Error("28P01: password authentication failed") },
    { who: "has no connection left for the host", error: new UnavailableError("53300: too many clients already") },
  ])("keeps its server, which $who, until its access is withdrawn, and goes with it then (R20)", async ({ error }) => {
    await pass([...pg, textFile("notes", "x")]);
    failOf(withdrawn.id, error);
    for (let tries = 0; tries < 2; tries += 1) {
      const message = `cannot be removed: ${error.message} (until then it keeps service/pg/main)`;
      expect(await pass([])).toEqual([{ id: withdrawn.id, state: "failed", message }]);
    }
    // What has nothing to do with it went at once.
    expect(removed).toEqual(["file/web/notes"]);
    removes = () => undefined;
    expect(await pass([])).toEqual([expect.objectContaining(withdrawn)]);
    expect(removed).toEqual(["file/web/notes", withdrawn.id, "service/pg/main", "file/pg/settings"]);
  });

  it("is not said to have nothing granted while its server, which did not answer, cannot be removed (R20)", async () => {
    await pass(pg);
    const errors: Record<string, Error> = {
      [withdrawn.id]: new NoAnswerError("127.0.0.1:5432 refuses"),
      "service/pg/main": new Error("it cannot be ended"),
    };
    removes = ({ id }) => {
      if (errors[id] !== undefined) throw errors[id];
    };
    const why = "cannot be removed: 127.0.0.1:5432 refuses (service/pg/main is still there)";
    const said = await pass([]);
    expect(said.find(({ id }) => id === withdrawn.id)).toEqual({ id: withdrawn.id, state: "failed", message: why });
    expect(said.map(({ state }) => state)).not.toContain("applied");
    // It answers again: what is granted there is withdrawn, as if it had never been away.
    removes = () => undefined;
    expect(await pass([])).toEqual([expect.objectContaining(withdrawn)]);
    expect(removed).toEqual([withdrawn.id, "service/pg/main", "file/pg/settings"]);
  });

  it("is not left for ever where an earlier host has removed its server without it", async () => {
    await pass([grantOf("pg")]);
    failOf(withdrawn.id, new NoAnswerError("127.0.0.1:5432 refuses"));
    expect(await pass([])).toEqual([expect.objectContaining(withdrawn)]);
  });

  it("waits for a server that is not its module's own, or that is wanted still (R20)", async () => {
    failOf(withdrawn.id, new NoAnswerError("10.0.0.9:5432 does not answer"));
    const failed = { id: withdrawn.id, state: "failed", message: "cannot be removed: 10.0.0.9:5432 does not answer" };
    await pass([{ ...grantOf("pg"), after: [] }]);
    expect(await pass([])).toEqual([failed]);
    await pass(pg);
    expect((await pass([settings, serviceOf("pg")])).filter(({ id }) => id === failed.id)).toEqual([failed]);
  });

  it("is said of as many as a report has room for, the newest", async () => {
    for (let at = 0; at < 104; at += 1) await pass([grantOf(`pg-${at}`)]);
    const said = (await pass([])).map(({ id }) => id);
    expect([said.length, said[0], said.at(-1)]).toEqual([100, "grant/pg-4/postgresql", "grant/pg-103/postgresql"]);
  });

  it("is not known of by the file of an earlier host, which is read all the same", async () => {
    await pass(pg);
    const file = path.join(folder, "applied.json");
    const { withdrawn: _new, ...old } = JSON.parse(await readFile(file, "utf8"));
    await writeFile(file, JSON.stringify(old));
    expect(await readApplied(folder)).toEqual({ ...old, schema: 1, withdrawn: [] });
  });
});
