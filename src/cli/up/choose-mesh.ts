import { existsSync } from "node:fs";
import { InputError } from "../../core/errors.ts";
import type { Name } from "../../core/names.ts";
import { readRootFile } from "../keys/root-files.ts";
import type { MeshPaths } from "../mesh-setup.ts";

/**
 * Which mesh a state folder is of: the one of its root document, by which its hosts know it; a new folder takes `asked`.
 * Throws InputError where another one is asked for, before anything of that name is made.
 */
export async function chooseMesh({ rootDocument }: Pick<MeshPaths, "rootDocument">, asked: Name | null): Promise<Name> {
  if (!existsSync(rootDocument)) return asked ?? "local";
  const { mesh } = (await readRootFile(rootDocument)).root;
  if (asked === null || asked === mesh) return mesh;
  throw new InputError(
    `this state folder is of mesh ${mesh}, not of ${asked}`,
    "leave --mesh out, or give --state DIR of another mesh",
  );
}
