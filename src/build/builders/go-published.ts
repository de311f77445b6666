import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { whenThere } from "../../core/errors.ts";
import { type GoMod, goModFile, goSumFile, readGoMod } from "../../source/imports/go-mod.ts";
import { listFiles } from "../list-files.ts";
import { hashGoFiles, writeZip, type ZipEntry } from "./go-zip.ts";

/** In an artifact: one folder for the module itself, one for each module of the mesh that it was built against. */
export const publishedFolder = "go-modules";

/** A module of the mesh as its dependents compile it. */
export interface PublishedModule {
  readonly path: string;
  /** Made of the content, never of a commit or a time. */
  readonly version: string;
  readonly mod: GoMod;
  /** Sorted, go.mod among them. */
  readonly files: readonly ZipEntry[];
  /** Lines of the go.sum that pins its third parties. */
  readonly sums: readonly string[];
  /** Of the content: equal ids are equal modules. */
  readonly id: string;
}

/** All that an unpacked artifact publishes. */
export async function readPublished(artifact: string): Promise<PublishedModule[]> {
  const paths = (await whenThere(listFiles(join(artifact, publishedFolder)))) ?? [];
  const names = new Set(paths.map((path) => path.split("/", 1)[0] ?? ""));
  const found: PublishedModule[] = [];
  for (const name of names) {
    const folder = join(artifact, publishedFolder, name);
    const prefix = `${name}/module/`;
    const files: ZipEntry[] = [];
    for (const path of paths.filter((one) => one.startsWith(prefix)))
      files.push({ name: path.slice(prefix.length), bytes: await readFile(join(artifact, publishedFolder, path)) });
    const sums = (await whenThere(readFile(join(folder, goSumFile), "utf8"))) ?? "";
    found.push(
      describeModule(
        files,
        sums.split("\n").filter((line) => line !== ""),
      ),
    );
  }
  return found;
}

export function describeModule(files: readonly ZipEntry[], sums: readonly string[]): PublishedModule {
  const text = files.find(({ name }) => name === goModFile)?.bytes.toString("utf8");
  if (text === undefined) throw new Error("a published Go module has no go.mod");
  const mod = readGoMod(text);
  const id = createHash("sha256").update(hashGoFiles(files)).update(sums.join("\n")).digest("hex");
  const content = createHash("sha256").update(hashGoFiles(files)).digest("hex");
  return { path: mod.module, version: versionOf(mod.module, content), mod, files, sums, id };
}

/** A pseudo-version with a constant time, of the major version that the path asks for. */
function versionOf(path: string, content: string): string {
  const major = /\/v([2-9]|[1-9]\d+)$/.exec(path)?.[1] ?? /^gopkg\.in\/.*\.v(\d+)$/.exec(path)?.[1] ?? "0";
  return `v${major}.0.0-19800101000000-${content.slice(0, 12)}`;
}

/** Into a folder `go-modules` of an artifact. */
export async function writePublished(artifact: string, modules: readonly PublishedModule[]): Promise<void> {
  for (const { path, files, sums } of modules) {
    const folder = join(artifact, publishedFolder, path.replaceAll("/", "+"));
    for (const { name, bytes } of files) await writeIn(join(folder, "module"), name, bytes);
    if (sums.length > 0) await writeIn(folder, goSumFile, `${sums.join("\n")}\n`);
  }
}

/** Into a folder that Go takes for a proxy (GOPROXY=file://…). Answers what go.sum has to say of them. */
export async function writeProxy(folder: string, modules: readonly PublishedModule[]): Promise<string[]> {
  const sums: string[] = [];
  for (const { path, version, files } of modules) {
    const where = `${escapeCase(path)}/@v`;
    const mod = files.find(({ name }) => name === goModFile)?.bytes ?? Buffer.alloc(0);
    const placed = files.map(({ name, bytes }) => ({ name: `${path}@${version}/${name}`, bytes }));
    await writeIn(folder, `${where}/list`, `${version}\n`);
    const info = JSON.stringify({ Version: version, Time: "1980-01-01T00:00:00Z" });
    await writeIn(folder, `${where}/${version}.info`, info);
    await writeIn(folder, `${where}/${version}.mod`, mod);
    await writeIn(folder, `${where}/${version}.zip`, writeZip(placed));
    sums.push(`${path} ${version} ${hashGoFiles(placed)}`);
    sums.push(`${path} ${version}/go.mod ${hashGoFiles([{ name: goModFile, bytes: mod }])}`);
  }
  return sums;
}

/** As proxies have it: file systems may not tell A from a. */
function escapeCase(path: string): string {
  return path.replaceAll(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);
}

async function writeIn(folder: string, path: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
}
