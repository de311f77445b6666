import type { Manifest } from "../core/manifest.ts";
import type { Digest, ObjectId } from "../core/names.ts";
import { readClosureSource } from "./closure-source.ts";
import type { Finding } from "./finding.ts";
import { type FactFiles, factBytesLimit, type ImportReader } from "./imports/import-reader.ts";
import { manifestBytesLimit, manifestFile, readManifest } from "./read-manifest.ts";
import { type LockAbove, readLockAbove } from "./locks-above.ts";
import type { TreeFile, TreeReading } from "./read-tree.ts";
import type { CommitInfo, Repository } from "./repository.ts";
import type { RegisteredModule, SourceProblem } from "./source-facts.ts";

/** One module's folder at one commit, before its imports are known. */
export interface ModuleFolder {
  readonly module: RegisteredModule;
  readonly repository: Repository;
  readonly commit: CommitInfo;
  /** As closures name it; null: there is none. */
  readonly tree: ObjectId | null;
  /** As closures name them. */
  readonly thirdParties: Digest | null;
  readonly files: readonly TreeFile[];
  readonly manifest: Manifest | null;
  /** Texts of the files its language keeps facts in. */
  readonly facts: FactFiles;
  readonly findings: readonly Finding[];
  readonly problem: SourceProblem | null;
}

export interface ReadModuleFolders {
  readonly repository: Repository;
  readonly info: CommitInfo;
  readonly readers: ReadonlyMap<string, ImportReader>;
  readonly modules: readonly FolderToRead[];
}

export interface FolderToRead {
  readonly module: RegisteredModule;
  readonly tree: TreeReading;
  readonly locks: readonly LockAbove[];
}

/** Manifests and fact files of all modules at one commit, by one reading of the repository's blobs. */
export async function readModuleFolders(options: ReadModuleFolders): Promise<ModuleFolder[]> {
  const readers = [...options.readers.values()];
  const wanted = new Set([manifestFile, ...readers.flatMap((reader) => reader.factFiles)]);
  const isWanted = (path: string): boolean =>
    wanted.has(path) || readers.some((reader) => reader.isFact?.(path) === true);
  const blobs = new Set<ObjectId>();
  for (const { tree, locks } of options.modules) {
    if (tree.kind !== "tree") continue;
    for (const { blob, bytes } of locks) if (bytes <= factBytesLimit) blobs.add(blob);
    for (const file of tree.files) if (isWanted(file.path) && file.bytes <= limitOf(file.path)) blobs.add(file.blob);
  }
  const texts = new Map<ObjectId, string>();
  for await (const { blob, bytes } of options.repository.readBlobs([...blobs])) texts.set(blob, bytes.toString("utf8"));
  return options.modules.map((folder) => describeFolder(options, folder, texts));
}

function limitOf(path: string): number {
  return path === manifestFile ? manifestBytesLimit : factBytesLimit;
}

function describeFolder(
  options: ReadModuleFolders,
  { module, tree, locks }: FolderToRead,
  texts: ReadonlyMap<ObjectId, string>,
): ModuleFolder {
  const base = {
    module,
    repository: options.repository,
    commit: options.info,
    thirdParties: null,
    facts: new Map<string, string>(),
  };
  if (tree.kind !== "tree") {
    return {
      ...base,
      tree: null,
      files: [],
      manifest: null,
      findings: [],
      problem: { stage: "source", message: tree.why, ...(tree.kind === "missing" ? { isGone: true } : {}) },
    };
  }
  const found = { ...base, tree: tree.tree, files: tree.files, manifest: null };
  const file = tree.files.find((one) => one.path === manifestFile);
  if (file === undefined) {
    const link = tree.findings.find((one) => one.file === manifestFile);
    const message =
      link === undefined
        ? `there is no ${manifestFile} in folder ${module.path}`
        : `${manifestFile} in folder ${module.path}: ${link.message}`;
    return {
      ...found,
      findings: tree.findings,
      problem: { stage: "manifest", message },
    };
  }
  const text = texts.get(file.blob);
  if (text === undefined) {
    return {
      ...found,
      findings: tree.findings,
      problem: { stage: "manifest", message: `${manifestFile} is larger than ${manifestBytesLimit} bytes` },
    };
  }
  const reading = readManifest(text, module.module);
  if (reading.kind === "refused") {
    const [first] = reading.findings;
    const findings = [...reading.findings, ...tree.findings];
    return {
      ...found,
      findings,
      problem: { stage: "manifest", message: `${manifestFile}:${first.line}: ${first.message}` },
    };
  }
  return {
    ...found,
    manifest: reading.manifest,
    ...readFacts(options, { tree, locks }, reading.manifest, texts),
    problem: null,
  };
}

function readFacts(
  options: ReadModuleFolders,
  { tree, locks }: { readonly tree: Extract<TreeReading, { kind: "tree" }>; readonly locks: readonly LockAbove[] },
  { language }: Manifest,
  texts: ReadonlyMap<ObjectId, string>,
): Pick<ModuleFolder, "tree" | "thirdParties" | "facts" | "findings"> {
  const reader = options.readers.get(language);
  const facts = new Map<string, string>();
  const findings = [...tree.findings];
  for (const { path, blob } of tree.files) {
    if (reader?.factFiles.includes(path) !== true && reader?.isFact?.(path) !== true) continue;
    const content = texts.get(blob);
    if (content === undefined)
      findings.push({ severity: "error", file: path, line: 0, message: `larger than ${factBytesLimit} bytes` });
    else facts.set(path, content);
  }
  const lock = readLockAbove(locks, reader, facts, (blob) => texts.get(blob));
  if (lock.kind === "lock") facts.set(lock.file, lock.text);
  if (lock.kind === "refused") findings.push(lock.finding);
  const source = readClosureSource(tree, reader, facts);
  if (source.finding !== null) findings.push(source.finding);
  return { tree: source.tree, thirdParties: source.thirdParties, facts, findings };
}
