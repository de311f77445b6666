import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const decide = fileURLToPath(new URL("../../../src/decide/", import.meta.url));

/** What the bundle takes for what the product's files import: the same functions, which remember what they worked out. */
const remembered: Readonly<Record<string, { readonly importers: readonly string[]; readonly file: string }>> = {
  "compose.ts": { importers: ["compose-for-push.ts"], file: "remembered-compose.ts" },
  "index-world.ts": {
    importers: ["compose.ts", "choose-provider.ts", "resolve-requirements.ts"],
    file: "remembered-compose.ts",
  },
  "digest.ts": { importers: ["accept-declaration.ts", "compose.ts"], file: "remembered-digest.ts" },
};

/** Where the simulator's speed comes from, beside its own: the code that runs stays the product's, mutants included. */
export function useRemembered(): Plugin {
  return {
    name: "use what is remembered",
    setup(build) {
      build.onResolve({ filter: /^\.\/[a-z-]+\.ts$/ }, ({ path, importer }) => {
        if (!importer.startsWith(decide)) return undefined;
        const found = remembered[basename(path)];
        if (!found?.importers.includes(basename(importer))) return undefined;
        return { path: `${here}/${found.file}` };
      });
    },
  };
}

export const lightAbort = `${here}/light-abort.ts`;
