import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { packageFile, readPackage } from "../../source/imports/package-facts.ts";
import { manifestFile } from "../../source/read-manifest.ts";
import { findPackage } from "../own-packages.ts";
import type { Mount } from "../sandbox.ts";
import { type BuildJob, buildRoot } from "./builder.ts";

/** The name that each dependency publishes, in the order of the job. */
export async function readDependencyNames(job: BuildJob): Promise<string[]> {
  const names: string[] = [];
  for (const dependency of job.dependencies) {
    const reading = readPackage(await readFile(join(dependency.folder, packageFile), "utf8"));
    const name = reading.kind === "package" ? reading.value.name : undefined;
    if (name === undefined)
      throw new Error(
        `the artifact of ${dependency.module} publishes no name, but it is a dependency of ${job.module}`,
      );
    names.push(name);
  }
  return names;
}

/**
 * Puts the artifacts of what the module is built against under `node_modules/<the name they publish>`, over whatever a
 * registry has under that name: exactly what the closure names, and nothing that a stranger published.
 */
export async function placeDependencies(job: BuildJob, folder: string, names: readonly string[]): Promise<void> {
  for (const [at, dependency] of job.dependencies.entries()) {
    const name = names[at];
    if (name === undefined) throw new Error("every dependency has a name");
    const target = join(folder, "node_modules", name);
    await rm(target, { recursive: true, force: true });
    await mkdir(dirname(target), { recursive: true });
    await rename(dependency.folder, target);
    // How a dependency is delivered by itself is no part of what is built against it.
    await rm(join(target, manifestFile), { force: true });
  }
}

/**
 * Ends Node's search for a package.json one folder above the module, as the host does where it applies modules: what is
 * judged here and what runs there is of the same kind, whatever lies above (without a sandbox, something may).
 */
export async function placeBarrier(root: string): Promise<void> {
  await writeFile(join(root, packageFile), "{}\n");
}

/**
 * Types of Node itself, one folder above the module: found where the module brings none of its own, and never part of
 * an artifact. They are lent as they lie here: a copy of them for each build took longer than packing a small module.
 */
export async function placeTypes(root: string): Promise<Mount[]> {
  const types = findPackage("@types/node");
  const packages = [
    ["@types/node", types],
    ["undici-types", findPackage("undici-types", types)],
  ] as const;
  const mounts: Mount[] = [];
  for (const [name, from] of packages) {
    await mkdir(join(root, "node_modules", name), { recursive: true });
    mounts.push({ from, to: `${buildRoot}/node_modules/${name}`, access: "read" });
  }
  return mounts;
}
