import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { openArtifactStore } from "../../src/build/artifact-store.ts";
import { packFolder } from "../../src/build/pack.ts";
import type { Digest } from "../../src/core/names.ts";

/** Packs these files as our packer does. */
export async function packFiles(files: Readonly<Record<string, string>>): Promise<{ digest: Digest; tar: Buffer }> {
  const folder = await mkdtemp(path.join(tmpdir(), "mesh-pack-"));
  try {
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(folder, "files", name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    const store = await openArtifactStore(path.join(folder, "store"));
    const { digest, blob } = await packFolder({ folder: path.join(folder, "files"), store });
    return { digest, tar: await buffer(await store.openBlob(blob)) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
