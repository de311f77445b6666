import { rm } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Digest } from "../../../src/core/names.ts";
import type { ResourceReport } from "../../../src/core/report.ts";
import type { Resource, ResourceOf } from "../../../src/core/resource.ts";
import { digestValue } from "../../../src/decide/digest.ts";
import { applyPass } from "../../../src/host/cycle/apply-pass.ts";
import { createPatience } from "../../../src/host/cycle/patience.ts";
import { placeOf } from "../../../src/host/cycle/place-of.ts";
import { NoAnswerError } from "../../../src/host/providers/no-answer.ts";
import { readApplied, writeApplied } from "../../../src/host/state/applied.ts";
import { makeFolder, textFile } from "../../support/host-bed.ts";

const nothing = (): void => undefined;
let folder: string;
/** Places that nothing can be removed from. */
let stuck: Map<string, Error>;
/** What was done, in its order. */
let done: string[];
let killAtApply: boolean;

beforeEach(async () => {
  folder = await makeFolder();
  [stuck, done, killAtApply] = [new Map(), [], false];
});

afterEach(() => rm(folder, { recursive: true, force: true }));

function grantAt(admin: string, consumers: readonly string[], after: readonly string[] = []): ResourceOf<"grant"> {
  const grants = consumers.map((module) => {
    return { provision: module, version: 1, consumer: { node: "node-a", module, requirement: "db" }, name: module };
  });
  const base = { id: "grant/pg/postgresql", module: "pg", after: [...after], kind: "grant", provider: "postgresql" };
  const access = { admin, adminUser: "postgres", adminPasswordFile: "data/pg/admin" };
  return { ...base, ...access, endpoint: { host: "db", port: 5432 }, grants } as ResourceOf<"grant">;
}

function fileAt(path: string): Resource {
  const file = textFile("conf.shop.ini", "x");
  return file.kind === "file" ? { ...file, path } : file;
}

function wordOf(resource: Resource): string {
  return placeOf(resource).split("\0")[1] ?? resource.id;
}

/** One pass of a host that has nothing in memory. A provider answers with what is on its list. */
async function pass(...ordered: Resource[]): Promise<readonly ResourceReport[]> {
  const content: Digest = digestValue(ordered);
  const { reports } = await applyPass({
    content,
    ordered,
    applied: await readApplied(folder),
    settled: new Map(),
    seen: new Set(),
    effects: {
      async apply(resource) {
        if (killAtApply) throw new Error("the host is killed");
        done.push(`apply ${wordOf(resource)}`);
        const there = resource.kind === "grant" ? resource.grants : [];
        const provisions = there.map(({ provision, version }) => ({ provision, version }));
        const rest = resource.kind === "grant" ? { provisions } : {};
        return { id: resource.id, state: "applied", message: "as wanted", ...rest };
      },
      async remove(resource) {
        const error = stuck.get(wordOf(resource));
        if (error !== undefined) throw error;
        done.push(`remove ${wordOf(resource)}`);
        return { kind: "removed" };
      },
      collect: () => Promise.resolve([]),
    },
    disk: { writeApplied: (applied) => writeApplied(folder, applied) },
    log: { info: nothing, warn: nothing, error: nothing },
    signal: new AbortController().signal,
    patience: createPatience(() => 0),
    redact: (text) => text,
    onReport: nothing,
    onApplied: nothing,
  });
  return reports;
}

describe("what stays under its id and is at another place now", () => {
  it.each([
    {
      what: "a grant list on another server (R20)",
      before: grantAt("old:5432", ["web"]),
      now: grantAt("new:5432", []),
    },
    {
      what: "a file of another path (R44)",
      before: fileAt("etc/web/conf/shop.ini"),
      now: fileAt("etc/web/conf.shop.ini"),
    },
  ])("is removed where it was before it is made where it is, also past a kill: $what", async ({ before, now }) => {
    await pass(before);
    await pass(before);
    killAtApply = true;
    stuck.set(wordOf(before), new Error("not now"));
    await expect(pass(now)).rejects.toThrow("killed");
    killAtApply = false;
    stuck.clear();
    done = [];
    expect(await pass(now)).toMatchObject([{ id: now.id, state: "applied", message: "as wanted" }]);
    await pass(now);
    expect(done).toEqual([`remove ${wordOf(before)}`, `apply ${wordOf(now)}`, `apply ${wordOf(now)}`]);
    // And no debt is paid by what has only moved.
    expect(await readApplied(folder)).toMatchObject({ resources: [{ resource: now }], withdrawn: [] });
  });

  it("is failed, and pays no debt of the server before, until that one has withdrawn it (R20, R46)", async () => {
    await pass(grantAt("old:5432", ["web", "shop"]));
    stuck.set("old:5432", new NoAnswerError("PostgreSQL at old:5432 does not answer"));
    // The new server has never heard of web: that says nothing of whether web gets in at the old one.
    for (let tries = 0; tries < 2; tries += 1) {
      expect(await pass(grantAt("new:5432", ["shop"]))).toEqual([
        {
          id: "grant/pg/postgresql",
          state: "failed",
          message:
            "what was granted at old:5432 before cannot be removed: PostgreSQL at old:5432 does not answer; where it is now: as wanted",
          provisions: [
            { provision: "shop", version: 1 },
            { provision: "web", version: 1 },
          ],
        },
      ]);
    }
    stuck.clear();
    expect(await pass(grantAt("new:5432", ["shop"]))).toMatchObject([
      { state: "applied", provisions: [{ provision: "shop" }] },
    ]);
  });

  it("is withdrawn from each server that it was on when it goes, and said to be when the last has (R20)", async () => {
    await pass(grantAt("one:5432", ["web"]));
    stuck.set("one:5432", new NoAnswerError("away"));
    await pass(grantAt("two:5432", ["web"]));
    expect(await pass()).toMatchObject([{ state: "failed" }]);
    expect(done.at(-1)).toBe("remove two:5432");
    stuck.clear();
    expect(await pass()).toMatchObject([{ state: "applied", message: "nothing is granted any more" }]);
    expect(done.at(-1)).toBe("remove one:5432");
  });

  it("is looked at where it is now when its module's own server has left the address before (R20)", async () => {
    const artifact = digestValue("pg");
    const rest = { command: ["node"], env: {}, restartOn: [], presence: [] };
    const server: Resource = { id: "service/pg/main", module: "pg", after: [], kind: "service", artifact, ...rest };
    await pass(server, grantAt("127.0.0.1:1", ["web"], [server.id]));
    stuck.set("127.0.0.1:1", new Error("28P01"));
    expect(await pass(server, grantAt("127.0.0.1:2", [], [server.id]))).toMatchObject([{}, { state: "failed" }]);
    stuck.set("127.0.0.1:1", new NoAnswerError("refuses"));
    expect(await pass(server, grantAt("127.0.0.1:2", [], [server.id]))).toMatchObject([{}, { state: "applied" }]);
  });
});
