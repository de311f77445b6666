import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { whenThere } from "../core/errors.ts";
import { digestSchema, type Digest } from "../core/names.ts";
import { withIndex } from "./oci-layout.ts";

const named = z.looseObject({ digest: digestSchema });
const manifestSchema = z.looseObject({
  config: named,
  layers: z.array(named),
  subject: named.optional(),
});

export interface UnnamedBlob {
  readonly digest: Digest;
  readonly bytes: number;
  readonly writtenAtMs: number;
}

/**
 * Blobs of the store that neither `byRecords` nor its index names, not even through a manifest. An index or a manifest that
 * does not read is an error: what it names would look like nobody's.
 */
export async function listUnnamedBlobs(dir: string, byRecords: ReadonlySet<Digest>): Promise<UnnamedBlob[]> {
  const folder = join(dir, "blobs", "sha256");
  // Before the index: what is written meanwhile is named by then, or is young.
  const names = await readdir(folder);
  const byIndex = new Set<Digest>();
  let manifests: readonly Digest[] = [];
  await withIndex(dir, (entries) => {
    manifests = entries.map(({ digest }) => digest);
    return entries;
  });
  for (const digest of manifests) {
    byIndex.add(digest);
    const text = await whenThere(readFile(join(folder, digest.slice("sha256:".length)), "utf8"));
    // Lost, which is said elsewhere: what it named is kept by the records.
    if (text === null) continue;
    const { config, layers, subject } = manifestSchema.parse(JSON.parse(text));
    for (const one of [config, ...layers, ...(subject === undefined ? [] : [subject])]) byIndex.add(one.digest);
  }
  const unnamed: UnnamedBlob[] = [];
  for (const name of names) {
    const digest: Digest = `sha256:${name}`;
    if (byRecords.has(digest) || byIndex.has(digest) || !digestSchema.safeParse(digest).success) continue;
    const found = await whenThere(stat(join(folder, name)));
    if (found !== null) unnamed.push({ digest, bytes: found.size, writtenAtMs: found.mtimeMs });
  }
  return unnamed;
}
