import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readPrivateFile, readPrivateFileIfThere, writePrivateFile } from "../../src/disk/private-file.ts";
import { writeDurably } from "../../src/disk/write-durably.ts";
import { makeFolder } from "../support/host-bed.ts";

let folder: string;

beforeEach(async () => {
  folder = await makeFolder();
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe("a file that only its owner may read (R46)", () => {
  it("is written so, whole, whatever the umask is and whatever was there", async () => {
    const file = path.join(folder, "key");
    const umask = process.umask(0o000);
    try {
      await writeFile(file, "old", { mode: 0o644 });
      await writePrivateFile(file, "secret");
    } finally {
      process.umask(umask);
    }
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect([await readPrivateFile(file), await readdir(folder)]).toEqual(["secret", ["key"]]);
  });

  it.each([0o640, 0o604, 0o620, 0o601])("is refused where others may get at it: mode %o", async (mode) => {
    const file = path.join(folder, "webhooks.json");
    await writeFile(file, "secret");
    await chmod(file, mode);
    for (const read of [readPrivateFile, readPrivateFileIfThere]) {
      const refused = expect(read(file)).rejects;
      await refused.toMatchObject({ name: "InputError", next: `chmod 600 ${file}` });
    }
  });

  it("is refused where it is too long, is a folder, or is not there and has to be", async () => {
    const file = path.join(folder, "key");
    await writePrivateFile(file, "x".repeat(11));
    await expect(readPrivateFile(file, 10)).rejects.toMatchObject({ name: "InputError" });
    await mkdir(path.join(folder, "other"), { mode: 0o700 });
    await expect(readPrivateFile(path.join(folder, "other"))).rejects.toMatchObject({ name: "UnavailableError" });
    await expect(readPrivateFile(path.join(folder, "none"))).rejects.toMatchObject({ name: "UnavailableError" });
    expect(await readPrivateFileIfThere(path.join(folder, "none"))).toBeNull();
  });
});

describe("a file that several may write at once", () => {
  it("is whole at every moment, and the last one stays", async () => {
    const file = path.join(folder, "a");
    const texts = Array.from({ length: 20 }, (_, at) => String(at).repeat(10_000));
    await Promise.all(texts.map((text) => writeDurably(file, text, { mode: 0o644 })));
    expect(texts).toContain(await readFile(file, "utf8"));
    expect(await readdir(folder)).toEqual(["a"]);
  });
});
