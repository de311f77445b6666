import { mkdtemp, open, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rotateLog } from "../../src/disk/rotate-log.ts";

const megabyte = 1024 * 1024;
const keptBytes = 5 * megabyte;
let folder = "";
let file = "";
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "mesh-rotate-log-"));
  file = path.join(folder, "web.log");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("the log of a process that goes on writing", () => {
  it("is left alone while it is small, or not there", async () => {
    expect(await rotateLog(file, keptBytes)).toBe("small");
    await writeFile(file, "one line\n");
    expect(await rotateLog(file, keptBytes)).toBe("small");
    expect(await readFile(file, "utf8")).toBe("one line\n");
    expect(await readdir(folder)).toEqual(["web.log"]);
  });

  it("keeps about 5 MB of what was last said, however much came at once", async () => {
    await writeFile(file, Buffer.concat([Buffer.alloc(12 * megabyte, "x\n"), Buffer.from("the end\n")]));
    expect(await rotateLog(file, keptBytes)).toBe("rotated");
    expect((await stat(file)).size).toBe(0);
    const kept = await readFile(`${file}.1`, "utf8");
    expect(kept).toHaveLength(5 * megabyte);
    expect(kept.endsWith("x\nthe end\n")).toBe(true);
  });

  it("goes on at its beginning for a process that has it open for appending, with no hole before that", async () => {
    const writer = await open(file, "a");
    await writer.write("x".repeat(keptBytes));
    expect(await rotateLog(file, keptBytes)).toBe("rotated");
    await writer.write("after\n");
    await writer.close();
    expect(await readFile(file, "utf8")).toBe("after\n");
  });

  it("lets nobody read its predecessor who may not read it", async () => {
    await writeFile(file, Buffer.alloc(6 * megabyte), { mode: 0o600 });
    expect(await rotateLog(file, keptBytes)).toBe("rotated");
    expect((await stat(`${file}.1`)).mode & 0o777).toBe(0o600);
  });

  it.runIf(process.platform === "linux")("is cut on a full disk: it may be what fills it (case 47)", async () => {
    await writeFile(file, Buffer.alloc(6 * megabyte, "x\n"));
    await symlink("/dev/full", `${file}.1`);
    expect(await rotateLog(file, keptBytes)).toBe("cut");
    expect((await stat(file)).size).toBe(0);
    expect(await readdir(folder)).toEqual(["web.log"]);
  });
});
