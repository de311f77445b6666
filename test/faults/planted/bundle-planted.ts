import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { plantMutant, type Mutant } from "../../simulation/mutants/mutant.ts";

const root = new URL("../../../", import.meta.url);

/** The real source from this file on, as one file; with the bug in it, or as it is (null). */
export async function bundlePlanted(entry: string, mutant: Mutant | null, format: "esm" | "cjs"): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "mesh-planted-"));
  const outfile = join(folder, format === "esm" ? "bundle.mjs" : "bundle.cjs");
  await build({
    entryPoints: [fileURLToPath(new URL(entry, root))],
    outfile,
    bundle: true,
    platform: "node",
    format,
    target: "node20",
    logLevel: "silent",
    external: ["pg-native"],
    // Packages in the old format ask for Node's own modules so.
    ...(format === "esm"
      ? { banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' } }
      : {}),
    plugins: mutant === null ? [] : [plantMutant(mutant)],
  });
  return outfile;
}
