import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { compareReports } from "../../../src/decide/order-reports.ts";
import { beginBoot } from "../../../src/host/state/boot.ts";
import { takeLock } from "../../../src/host/state/lock.ts";
import { readStateFile } from "../../../src/host/state/state-file.ts";
import { readIdentity } from "../../../src/host/supervisor/process-identity.ts";
import { writeDurably } from "../../../src/disk/write-durably.ts";
import { makeFolder } from "../../support/host-bed.ts";

let folder: string;

beforeEach(async () => {
  folder = await makeFolder();
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe("the host's own files", () => {
  it("are written whole with their mode, and leave nothing beside them", async () => {
    const file = path.join(folder, "a");
    // What an earlier kill has left.
    await writeFile(path.join(folder, ".a.mesh-new"), "half");
    await writeDurably(file, "one", { mode: 0o600, writers: "one" });
    await writeDurably(file, "two", { mode: 0o640, writers: "one" });
    expect(await readFile(file, "utf8")).toBe("two");
    expect((await stat(file)).mode & 0o777).toBe(0o640);
    expect(await readdir(folder)).toEqual(["a"]);
  });

  it("stay as they were when they cannot be replaced", async () => {
    const file = path.join(folder, "a");
    await mkdir(path.join(file, "in-the-way"), { recursive: true });
    await expect(writeDurably(file, "x", { mode: 0o600 })).rejects.toThrow();
    expect(await readdir(folder)).toEqual(["a"]);
  });

  it.each(["", "\0\0\0\0", "{", "[]", `{"schema":2}`])("are never taken for absent when damaged: %j", async (text) => {
    const file = path.join(folder, "a.json");
    await writeFile(file, text);
    await expect(readStateFile(file, z.object({ schema: z.literal(1) }))).rejects.toThrow(`${file} is damaged`);
    expect(await readStateFile(path.join(folder, "b.json"), z.unknown())).toBeNull();
  });

  it("count the starts, and order reports also when that cannot be written down (R38)", async () => {
    const now = new Date("2026-03-01T12:00:00.000Z");
    expect((await beginBoot(folder, now)).boot).toBe(1);
    expect(await beginBoot(folder, now)).toMatchObject({ boot: 2, firstSequence: 1, problem: null });
    await mkdir(path.join(folder, ".boot.json.mesh-new", "x"), { recursive: true });
    const unwritten = await beginBoot(folder, now);
    expect(unwritten).toMatchObject({ boot: 2, firstSequence: Math.floor(now.getTime() / 1000) });
    expect(unwritten.problem).not.toBeNull();
    await rm(path.join(folder, ".boot.json.mesh-new"), { recursive: true });
    const written = await beginBoot(folder, now);
    const place = ({ boot, firstSequence: sequence }: typeof written) => ({ has: null, boot, sequence });
    // Each starts after all that the one before can have reported: none of them is *older*, and none *reverted*.
    expect(compareReports(place(unwritten), { has: null, boot: 2, sequence: 100_000_000 })).toBeGreaterThan(0);
    expect(compareReports(place(written), { ...place(unwritten), sequence: 2 ** 50 })).toBeGreaterThan(0);
  });
});

describe("the lock of a host's folder", () => {
  it("is held once, given back, and taken over from one that has ended", async () => {
    const unlock = await takeLock(folder);
    await expect(takeLock(folder)).rejects.toThrow("a host already runs on");
    await unlock();
    const lock = path.join(folder, "host.lock");
    for (const left of ["", JSON.stringify({ pid: process.pid, started: "1", bootId: "another" })]) {
      await writeFile(lock, left);
      await (
        await takeLock(folder)
      )();
    }
    expect(await readdir(folder)).toEqual([]);
  });

  it("is read where there was only space for a link: held, taken over, and nothing of a try is left (R44)", async () => {
    const lock = path.join(folder, "host.lock");
    const own = await readIdentity(process.pid);
    await symlink(`mesh.${own?.pid}.${own?.started}.${own?.bootId}`, lock);
    await expect(takeLock(folder)).rejects.toThrow(
      `a host already runs on ${path.dirname(folder)}, pid ${process.pid}`,
    );
    expect(await readdir(folder)).toEqual(["host.lock"]);
    for (const words of [`mesh.${own?.pid}.1.${own?.bootId}`, "rubbish"]) {
      await rm(lock, { force: true });
      await symlink(words, lock);
      await (
        await takeLock(folder)
      )();
    }
    expect(await readdir(folder)).toEqual([]);
  });
});
