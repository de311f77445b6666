import { execFileSync } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sayRoom, tightDiskSchema } from "../../src/core/tight-disk.ts";
import { findTightDisks, judgeRoom, type Room } from "../../src/disk/measure-room.ts";
import { writeDurably } from "../../src/disk/write-durably.ts";
import { makeFolder } from "../support/host-bed.ts";

const mebibyte = 1024 ** 2;
const gibibyte = 1024 * mebibyte;
const room = (freeBytes: number, totalBytes: number, freeNames = 0, totalNames = 0): Room => ({
  freeBytes,
  totalBytes,
  freeNames,
  totalNames,
});

describe("how much room is little (R33)", () => {
  it.each<[string, Room, "none" | "little" | null]>([
    ["a big disk with 2 GiB", room(2 * gibibyte, 1000 * gibibyte), null],
    ["a big disk with less than 1 GiB", room(gibibyte - 1, 1000 * gibibyte), "little"],
    ["a big disk with less than 16 MiB", room(16 * mebibyte - 1, 1000 * gibibyte), "none"],
    ["a small disk with a tenth", room(100 * mebibyte, gibibyte), null],
    ["a small disk with less than a twentieth", room(50 * mebibyte, gibibyte), "little"],
    ["a tiny disk with less than a sixteenth", room(mebibyte - 1, 16 * mebibyte), "none"],
    ["bytes enough, and no name left", room(2 * gibibyte, 4 * gibibyte, 0, 1000), "none"],
    ["bytes enough, and few names left", room(2 * gibibyte, 4 * gibibyte, 9, 1000), "little"],
    ["a file system that counts no names", room(2 * gibibyte, 4 * gibibyte, 0, 0), null],
  ])("%s: %s %s", (_what, measured, wanted) => {
    expect(judgeRoom(measured)).toBe(wanted);
  });

  it("is said in words, names only where they are short", () => {
    expect(sayRoom(room(512 * mebibyte, 100 * gibibyte, 500, 1000))).toBe("512 MiB of 100 GiB left");
    expect(sayRoom(room(0, 10 * gibibyte, 3, 1000))).toBe("0 KiB of 10 GiB left, and 3 of 1000 file names");
  });
});

const canMount = process.platform === "linux" && process.getuid?.() === 0;

describe.skipIf(!canMount)("a small file system (skipped, needs root)", () => {
  let folder: string;
  let small: string;
  beforeEach(async () => {
    folder = await makeFolder();
    small = path.join(folder, "small");
    await mkdir(small);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1024k,mode=755", "tmpfs", small]);
    await mkdir(path.join(small, "state"));
  });
  afterEach(async () => {
    execFileSync("umount", [small]);
    await rm(folder, { recursive: true, force: true });
  });

  it("that is full is named once, by every folder of ours on it; one that is not there is none", async () => {
    const asked = [small, path.join(small, "state"), path.join(small, "none")];
    expect(await findTightDisks(asked)).toEqual([]);
    await writeFile(path.join(small, "ballast"), Buffer.alloc(1000 * 1024));
    const tight = await findTightDisks(asked);
    expect(tight).toMatchObject([{ folders: asked.slice(0, 2), room: "none", totalBytes: mebibyte }]);
    for (const disk of tight) expect(tightDiskSchema.safeParse(disk).success).toBe(true);
  });

  it("takes no file any more, and the error says which", async () => {
    const file = path.join(small, "state", "mark.json");
    const error = await writeDurably(file, Buffer.alloc(2 * mebibyte), { mode: 0o600 }).catch((one: unknown) => one);
    expect(error).toMatchObject({ code: "ENOSPC", path: file, message: expect.stringContaining(file) });
  });
});
