import { chmod, mkdir, open, readdir, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openArtifactStore } from "../../src/build/artifact-store.ts";
import { measureFolder } from "../../src/build/measure.ts";
import { normaliseModes } from "../../src/build/normalise-modes.ts";
import { ArtifactLimitError, packFolder } from "../../src/build/pack.ts";
import { removeRoot } from "../../src/build/remove-root.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const mebibyte = 1024 ** 2;
const noText = Buffer.from([0x2f, 0xff]);

async function writeMebibytes(path: Buffer, count: number): Promise<void> {
  const file = await open(path, "w");
  await file.write(Buffer.alloc(count * mebibyte, 1));
  await file.close();
}

describe("a folder whose names are no text (case 55)", () => {
  it("counts as what is in it, and so do the files beside it", async () => {
    const folder = await createTemporaryFolder();
    const below = Buffer.concat([Buffer.from(folder), noText]);
    await mkdir(below);
    await writeMebibytes(Buffer.concat([below, Buffer.from("/in")]), 2);
    await writeMebibytes(Buffer.concat([below, noText]), 3);
    await writeMebibytes(Buffer.from(join(folder, "z")), 1);
    expect(await measureFolder(folder, 1024 * mebibyte)).toBeGreaterThanOrEqual(6 * mebibyte);
  });

  it("can be read by the sandbox's user, and removed", async () => {
    const folder = await createTemporaryFolder();
    const below = Buffer.concat([Buffer.from(folder), noText]);
    await mkdir(below, { mode: 0o700 });
    await normaliseModes(folder);
    expect((await stat(below)).mode & 0o777).toBe(0o755);
    await writeFile(Buffer.concat([below, noText]), "1");
    await chmod(below, 0o500);
    expect(await removeRoot(folder)).toBe("");
  });
});

it("counts the other files of a folder where one goes while it looks (case 55)", async () => {
  const folder = await createTemporaryFolder();
  for (let at = 0; at < 1000; at += 1) await writeFile(join(folder, String(at)), "1");
  const [bytes] = await Promise.all([measureFolder(folder, mebibyte * 1024), removeRoot(join(folder, "500"))]);
  expect(bytes).toBeGreaterThanOrEqual(999 * 4096);
  expect(await readdir(folder)).toHaveLength(999);
});

it("packs nothing that no host unpacks, whatever a build may write (R11)", async () => {
  const folder = await createTemporaryFolder();
  await writeFile(join(folder, "large"), "");
  await truncate(join(folder, "large"), 5 * 1024 ** 3);
  const store = await openArtifactStore(join(await createTemporaryFolder(), "artifacts"));
  const packed = packFolder({ folder, store, limitBytes: 8 * 1024 ** 3 });
  await expect(packed).rejects.toThrow(ArtifactLimitError);
  await expect(packed).rejects.toThrow(/larger than 4294967296 bytes, and no host unpacks more/);
});
