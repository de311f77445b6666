import { listModules, type ModuleRecord } from "../../../src/store/modules.ts";
import type { ReconcileMesh } from "./reconcile-mesh.ts";

/** A module that is packed as it is, with this text in it. */
export function filesModule(name: string, text: string, manifest = ""): Record<string, string> {
  return {
    [`${name}/mesh.yaml`]: `module: ${name}\nlanguage: files\n${manifest}`,
    [`${name}/page.txt`]: `${text}\n`,
  };
}

/** `app: current`, for every module, sorted. */
export async function listStandings({ db, mesh }: ReconcileMesh): Promise<string[]> {
  return (await listModules(db, mesh)).map((one) => `${one.name}: ${one.standing}`);
}

export async function readModule({ db, mesh }: ReconcileMesh, name: string): Promise<ModuleRecord> {
  const found = (await listModules(db, mesh)).find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no module ${name}`);
  return found;
}

/** Is its newest source, at this commit, fit? */
export async function isFitAt(flow: ReconcileMesh, name: string, commit: string): Promise<boolean> {
  const module = await readModule(flow, name);
  return module.sourceCommit === commit && module.standing === "current";
}
