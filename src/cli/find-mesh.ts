import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { InputError } from "../core/errors.ts";
import { quoteWord } from "./text/quote-word.ts";

/** The file that makes a folder a mesh's state folder. */
export const meshFileName = "mesh.json";

export interface FindMeshInput {
  /** `--state`. */
  readonly state: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Whether a folder is a mesh's state folder; left out: one that was started. */
  readonly isState?: (folder: string) => boolean;
}

function wasStarted(folder: string): boolean {
  return existsSync(join(folder, meshFileName));
}

/**
 * The state folder of the mesh a command is about: `--state`, else `MESH_STATE`, else the nearest `.mesh/` upward
 * from where the person stands. Throws InputError when there is none.
 */
export function findMesh(input: FindMeshInput): string {
  const { isState = wasStarted } = input;
  const given = input.state ?? (input.env["MESH_STATE"] || undefined);
  if (given !== undefined) {
    const folder = resolve(input.cwd, given);
    if (isState(folder)) return folder;
    throw new InputError(
      `there is no mesh in ${folder} (no ${meshFileName})`,
      `begin one there with: mesh up --state ${quoteWord(given)}`,
    );
  }
  for (let folder = resolve(input.cwd); ; folder = dirname(folder)) {
    const state = join(folder, ".mesh");
    if (isState(state)) return state;
    if (folder === dirname(folder)) break;
  }
  throw new InputError(
    `no mesh found: no .mesh folder in ${input.cwd} or above it`,
    "go to the folder where npm start was run, or say which: --state DIR (or MESH_STATE)",
  );
}
