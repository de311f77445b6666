import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isWhole, sealContents } from "../../src/build/kept-contents.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

async function keep(): Promise<{ readonly above: string; readonly folder: string }> {
  const above = await createTemporaryFolder();
  const folder = join(above, "kept");
  for (let at = 0; at < 100; at += 1) {
    await mkdir(join(folder, String(at)), { recursive: true });
    await writeFile(join(folder, String(at), "file"), "x".repeat(10_000));
  }
  await sealContents(folder);
  return { above, folder };
}

describe("what is kept for all builds (R11)", () => {
  it("is whole as it was sealed, for several builds at once", async () => {
    const { folder } = await keep();
    expect(await Promise.all([isWhole(folder), isWhole(folder)])).toEqual([true, true]);
  });

  it("is thrown away where the disk changed it, however many builds find that at once", async () => {
    const { above, folder } = await keep();
    await writeFile(join(folder, "99", "file"), "y".repeat(10_000));
    const answers = await Promise.all(Array.from({ length: 8 }, () => isWhole(folder)));
    expect(new Set(answers)).toEqual(new Set([false]));
    expect(await readdir(above)).toEqual([]);
    expect(await isWhole(folder)).toBe(false);
  });

  it("is not whole for who reads it while another build takes it away, and left to that one", async () => {
    const { above, folder } = await keep();
    const reading = isWhole(folder);
    await rm(join(folder, "99"), { recursive: true });
    expect(await reading).toBe(false);
    expect(await readdir(above)).toEqual(["kept"]);
  });

  it("is thrown away where it was never sealed", async () => {
    const above = await createTemporaryFolder();
    await mkdir(join(above, "kept"));
    expect(await isWhole(join(above, "kept"))).toBe(false);
    expect(await readdir(above)).toEqual([]);
  });
});
