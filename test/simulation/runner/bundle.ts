import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { lightAbort, useRemembered } from "../platform/use-remembered.ts";

const entry = fileURLToPath(new URL("worker.ts", import.meta.url));

/** The simulator and the product's code that it runs, as one file for worker threads; `plugins` may plant a bug. */
export async function bundleSimulator(plugins: readonly Plugin[] = []): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "mesh-simulator-"));
  const outfile = join(folder, "worker.mjs");
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "silent",
    external: ["pg-native"],
    // Packages in the old format ask for Node's own modules so.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    inject: [lightAbort],
    plugins: [useRemembered(), ...plugins],
  });
  return outfile;
}
