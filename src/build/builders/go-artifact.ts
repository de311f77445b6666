import { cp, mkdir, readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { goModFile } from "../../source/imports/go-mod.ts";
import { isGoSource, listNestedModules } from "../../source/imports/go-source.ts";
import { listFiles } from "../list-files.ts";
import { normaliseModes } from "../normalise-modes.ts";
import { type BuildJob, buildRoot } from "./builder.ts";
import { type GoPackage, isImportable } from "./go-packages.ts";
import type { GoPlan } from "./go-plan.ts";
import { describeModule, publishedFolder, writePublished } from "./go-published.ts";
import { stripGoComments } from "./go-strip.ts";
import type { ZipEntry } from "./go-zip.ts";
import { findInTheWay } from "./in-the-way.ts";

export type PreparedGo =
  | { readonly kind: "prepared"; readonly folder: string }
  /** Of the module itself, where `by` would lie. */
  | { readonly kind: "hidden"; readonly path: string; readonly by: string };

/**
 * Leaves what runs and what others compile against: programs under `bin/`, the module's other files where they are, and
 * under `go-modules/` the source of what can be imported (without tests and comments) with the modules it was built
 * against. Documents, tests, go.mod and go.sum as they were written go: changing them changes nothing on a machine (R10).
 */
export async function prepareGoArtifact(
  job: BuildJob,
  plan: GoPlan,
  packages: readonly GoPackage[],
): Promise<PreparedGo> {
  const module = join(job.root, "module");
  const artifact = join(job.root, "artifact");
  await mkdir(artifact);
  const files = await listFiles(module);
  const nested = listNestedModules(files);
  for (const path of files) if (isForMachines(path, nested)) await copyInto(join(module, path), join(artifact, path));
  for (const name of await listFiles(join(job.root, "go", "bin"))) {
    const hidden = await findInTheWay(artifact, `bin/${name}`);
    if (hidden !== null) return { kind: "hidden", path: hidden, by: `bin/${name}` };
    await copyInto(join(job.root, "go", "bin", name), join(artifact, "bin", name));
  }
  if (packages.some(isImportable)) {
    const hidden = await findInTheWay(artifact, publishedFolder);
    if (hidden !== null) return { kind: "hidden", path: hidden, by: publishedFolder };
    const own = describeModule(await listPublishedFiles(module, plan, packages), plan.ownSums);
    await writePublished(artifact, [own, ...plan.carried]);
  }
  await normaliseModes(artifact);
  return { kind: "prepared", folder: artifact };
}

function isForMachines(path: string, nested: readonly string[]): boolean {
  if (nested.some((folder) => path.startsWith(`${folder}/`)) || /(^|\/)testdata\//.test(path)) return false;
  if (
    !path.includes("/") &&
    (/\.(md|markdown)$/i.test(path) || path.startsWith(".") || /^go\.(mod|sum|work)$/.test(path))
  )
    return false;
  return !/\.(go|s|S|h|c|cc|cpp|syso)$/.test(path);
}

async function copyInto(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await cp(from, to);
}

async function listPublishedFiles(module: string, plan: GoPlan, packages: readonly GoPackage[]): Promise<ZipEntry[]> {
  const paths = new Set<string>();
  const embedded = new Set<string>();
  for (const one of packages) {
    if (one.Name === "main" || one.Dir === undefined) continue;
    const folder = relative(`${buildRoot}/module`, one.Dir.replace(module, `${buildRoot}/module`));
    const lists = [one.GoFiles, one.SFiles, one.HFiles, one.SysoFiles, one.EmbedFiles];
    for (const name of lists.flatMap((list) => list ?? [])) paths.add(join(folder, name));
    for (const name of one.EmbedFiles ?? []) embedded.add(join(folder, name));
  }
  const files: ZipEntry[] = [{ name: goModFile, bytes: Buffer.from(writePublishedMod(plan)) }];
  for (const path of paths) {
    if (path === goModFile) continue;
    const bytes = await readFile(join(module, path));
    // A program that carries source text carries it as it is.
    const isCode = isGoSource(path) && !embedded.has(path);
    files.push({ name: path, bytes: isCode ? Buffer.from(stripGoComments(bytes.toString("utf8"))) : bytes });
  }
  return files.toSorted((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
}

/** Third parties only: which builds of the mesh's modules it goes with is said by what lies beside it. */
function writePublishedMod({ mod, modules, findings }: GoPlan): string {
  const ofMesh = new Set(modules.map(({ path }) => path));
  const leftOut = new Set(findings.map(({ line }) => line));
  const requires = mod.requires
    .filter(({ path, line }) => !ofMesh.has(path) && !leftOut.has(line))
    .map(({ path, version }) => `require ${path} ${version}\n`);
  return `module ${mod.module}\n\ngo ${mod.go.version}\n\n${requires.toSorted().join("")}`;
}
