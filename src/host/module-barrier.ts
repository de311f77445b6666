import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { hasErrorCode } from "../core/errors.ts";
import { writeDurably } from "../disk/write-durably.ts";

/** What Node takes where it finds no package.json at all: the same as in the sandbox that judged the module. */
const barrier = "{}\n";

/**
 * Node looks upward for a package.json, out of the host's folder too: one with `"type": "module"` would turn the
 * CommonJS of a module that brings none into something that crashes. This one ends the search. It lies beside the
 * folders of modules, so it is part of no artifact. Written only where it is not so: services may be reading it.
 */
export async function placeModuleBarrier(root: string): Promise<void> {
  const modules = path.join(root, "modules");
  await mkdir(modules, { recursive: true, mode: 0o755 });
  const file = path.join(modules, "package.json");
  if ((await readText(file)) !== barrier) await writeDurably(file, barrier, { mode: 0o644, writers: "one" });
}

async function readText(file: string): Promise<string | null> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    // absence is the answer: not placed yet.
    if (hasErrorCode(error, "ENOENT")) return null;
    throw error;
  }
}
