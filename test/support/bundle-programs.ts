import { readFile } from "node:fs/promises";
import { mkdtempSync, mkdirSync, rmSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

/** Below `node_modules`, so that what the programs import of packages is found. */
const cache = fileURLToPath(new URL("../../node_modules/.cache/", import.meta.url));

/**
 * TypeScript programs of tests as files that Node runs by itself: a process of `src` through a loader compiles two hundred files
 * anew each time, and tests start many. Gone when this process ends. `files`: absolute; answers are in the same order.
 */
export async function bundlePrograms(files: readonly string[]): Promise<readonly string[]> {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "mesh-test-programs-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  await build({
    entryPoints: [...files],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    platform: "node",
    target: "node20",
    format: "esm",
    packages: "external",
    sourcemap: "inline",
    plugins: [keepPlaces],
  });
  return files.map((file) => join(folder, `${basename(file, extname(file))}.mjs`));
}

/** What a file finds beside itself it still finds there. */
const keepPlaces: Plugin = {
  name: "keep places",
  setup(building) {
    building.onLoad({ filter: /\/(src|test)\/.*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      return { contents: text.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href)), loader: "ts" };
    });
  },
};
