import { randomUUID } from "node:crypto";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Artifact, Closure, Verdict } from "../core/artifact.ts";
import { InputError } from "../core/errors.ts";
import type { Manifest } from "../core/manifest.ts";
import type { Digest, Name, ObjectId } from "../core/names.ts";
import { unpackArtifact } from "../link/artifact/unpack.ts";
import { type BuildSource, readClosureSourceOf } from "../source/closure-source.ts";
import { createImportReaders } from "../source/compare-sources.ts";
import { describeFinding, type Finding } from "../source/finding.ts";
import { manifestFile, readManifest } from "../source/read-manifest.ts";
import { readTree, type TreeFile, type TreeReading } from "../source/read-tree.ts";
import type { Repository } from "../source/repository.ts";
import type { ArtifactStore } from "./artifact-store.ts";
import { type BuildOutcome, outstanding, publicRegistries, type Registries, unfit } from "./builders/builder.ts";
import { findBuilder } from "./builders/builders.ts";
import { exportTree } from "./export-tree.ts";
import { type BuildLog, createBuildLog } from "./keep-log.ts";
import { judgeError } from "./judge-error.ts";
import { judgeToolchain } from "./judge-toolchain.ts";
import { type Packed, packFolder } from "./pack.ts";
import { removeRoot } from "./remove-root.ts";
import { recordOutput } from "./record-output.ts";
import { type Sandbox, type SandboxLimits, sandboxLimits } from "./sandbox.ts";

export interface BuildDependency {
  readonly module: Name;
  readonly kind: "build" | "test";
  readonly artifact: Artifact;
}

export interface BuildFolders {
  /** Each build makes a folder of its own here and removes it. */
  readonly work: string;
  /** Third-party packages by lock file; may be removed at any time. */
  readonly cache: string;
}

export interface BuildModule {
  readonly closure: Closure;
  readonly source: {
    readonly repository: Repository;
    readonly branch: string;
    readonly commit: ObjectId;
    readonly path: string;
    /** `nestedPaths` of the module. */
    readonly without: readonly string[];
  };
  /** Exactly those that the closure names. */
  readonly dependencies: readonly BuildDependency[];
  readonly store: ArtifactStore;
  readonly sandbox: Sandbox;
  readonly folders: BuildFolders;
  /** The languages' own public registries where they are left out. */
  readonly registries?: Partial<Registries>;
  readonly limits?: SandboxLimits;
  readonly signal?: AbortSignal;
  /** Called at least every few seconds; `step` is a word for people: fetch, compile, test, pack. */
  readonly onProgress?: (step: string) => void;
  /** What the build prints, as it comes. */
  readonly onLog?: (text: string) => void;
}

export interface BuiltModule {
  readonly verdict: Verdict;
  /** Set when fit. */
  readonly artifact: Artifact | null;
  readonly manifest: Manifest | null;
  /** The end of what the tools printed, at most 64 KiB. */
  readonly logTail: string;
  /** All of it, up to 8 MiB, in the artifact store; null: nothing was printed, or the store could not take it. */
  readonly log: KeptLog | null;
  readonly findings: readonly Finding[];
  /** Of a builder's judgement. */
  readonly lacks?: readonly Name[];
}

export interface KeptLog {
  readonly blob: Digest;
  readonly bytes: number;
}

const tailBytes = 64 * 1024;

/**
 * Builds, tests and packs one module at exact inputs (R11). Throws only when cancelled (the signal's reason) or for a
 * mistake of ours; everything the environment does is a verdict *outstanding*.
 */
export async function buildModule(options: BuildModule): Promise<BuiltModule> {
  checkClosure(options);
  const root = join(options.folders.work, `${options.closure.module}-${randomUUID()}`);
  const log = createBuildLog();
  const addLog = (text: string): void => {
    log.add(text);
    options.onLog?.(text);
  };
  let ended: Judged;
  try {
    ended = await buildIn(root, options, addLog);
  } finally {
    const left = await removeRoot(root);
    if (left !== "") addLog(left);
  }
  const { kept, lost } = await keepLog(options.store, log);
  return { ...ended, log: kept, logTail: `${log.tail(tailBytes)}${lost}` };
}

type Judged = Omit<BuiltModule, "logTail" | "log">;

/** A log that cannot be kept changes no verdict; that it is not there is said. */
async function keepLog(store: ArtifactStore, log: BuildLog): Promise<{ kept: KeptLog | null; lost: string }> {
  const text = log.read();
  if (text.length === 0) return { kept: null, lost: "" };
  try {
    const { digest, bytes } = await store.putBlob(oneChunk(text));
    return { kept: { blob: digest, bytes }, lost: "" };
  } catch (error) {
    if (judgeError(error) === null) throw error;
    return { kept: null, lost: `the whole log could not be kept: ${String(error)}\n` };
  }
}

async function* oneChunk(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function buildIn(root: string, options: BuildModule, addLog: (text: string) => void): Promise<Judged> {
  try {
    await mkdir(options.folders.work, { recursive: true });
    await mkdir(root);
    // The sandbox's user is another one, and this process may have any umask.
    await chmod(root, 0o755);
    const lacking = judgeToolchain(options.closure);
    if (lacking !== null) return { verdict: lacking, artifact: null, manifest: null, findings: [] };
    const read = await readSource(options, root);
    if (read.kind === "judged")
      return { verdict: read.verdict, artifact: null, manifest: null, findings: read.findings };
    const outcome = await runBuilder(options, root, read.manifest, addLog);
    if (outcome.kind === "judged")
      return {
        verdict: outcome.verdict,
        artifact: null,
        manifest: read.manifest,
        findings: outcome.findings,
        ...(outcome.lacks === undefined ? {} : { lacks: outcome.lacks }),
      };
    options.onProgress?.("pack");
    const artifact = toArtifact(options.closure.module, await pack(options, outcome.folder));
    await options.store.putArtifact(artifact, read.manifest);
    return {
      verdict: { verdict: "fit", artifact: artifact.digest },
      artifact,
      manifest: read.manifest,
      findings: outcome.findings,
    };
  } catch (error) {
    options.signal?.throwIfAborted();
    const verdict = judgeError(error);
    if (verdict === null) throw error;
    return { verdict, artifact: null, manifest: null, findings: [] };
  }
}

function checkClosure({ closure, dependencies }: BuildModule): void {
  const given = new Map(dependencies.map((dependency) => [dependency.module, dependency.artifact.digest]));
  const named = Object.entries(closure.dependencies);
  if (named.length !== given.size || named.some(([module, digest]) => given.get(module) !== digest)) {
    throw new Error(`the dependencies given to build ${closure.module} are not those of its closure`);
  }
}

type Source = { readonly kind: "source"; readonly manifest: Manifest } | Extract<BuildOutcome, { kind: "judged" }>;

/** The tree at the commit, which must be the one the closure names, written to `module/`. */
async function readSource(options: BuildModule, root: string): Promise<Source> {
  const { repository, branch, commit, path, without } = options.source;
  options.onProgress?.("fetch");
  await repository.fetchCommits([{ branch, commit }]);
  const reading = await readTree({ repository, commit, path, without });
  if (reading.kind !== "tree") return judged(unfit("import", reading.why));
  const { lockFromAbove } = await checkSource(options, reading);
  const [fault] = reading.findings;
  if (fault !== undefined) return judged(unfit("import", describeFinding(fault), reading.findings));
  const text = await readText(repository, reading.files, manifestFile);
  if (text === null) return judged(unfit("manifest", `there is no ${manifestFile}`));
  const manifest = readManifest(text, options.closure.module);
  if (manifest.kind === "refused")
    return judged(unfit("manifest", describeFinding(manifest.findings[0]), manifest.findings));
  const builder = findBuilder(manifest.manifest.language);
  await exportTree(
    repository,
    reading.files.filter((file) => builder.keeps(file.path)),
    join(root, "module"),
  );
  if (lockFromAbove !== null) await writeFile(join(root, "module", lockFromAbove.file), lockFromAbove.text);
  return { kind: "source", manifest: manifest.manifest };
}

/** What the closure says of the source must be what is built: else the verdict would be kept for other inputs. */
async function checkSource(
  { closure, source: { repository, commit, path } }: BuildModule,
  reading: Extract<TreeReading, { kind: "tree" }>,
): Promise<BuildSource> {
  const reader = createImportReaders().get(closure.language);
  const source = await readClosureSourceOf(repository, { commit, path }, reading, reader);
  const { tree, thirdParties } = source;
  if (tree !== closure.tree)
    throw new Error(`commit ${commit} has tree ${tree}, the closure of ${closure.module} names ${closure.tree}`);
  if (thirdParties !== closure.thirdParties)
    throw new Error(
      `commit ${commit} locks packages ${thirdParties ?? "none"}, the closure of ${closure.module} names ${closure.thirdParties ?? "none"}`,
    );
  return source;
}

function judged(outcome: BuildOutcome): Extract<BuildOutcome, { kind: "judged" }> {
  if (outcome.kind !== "judged") throw new Error("a refusal is a judgement");
  return outcome;
}

async function readText(repository: Repository, files: readonly TreeFile[], path: string): Promise<string | null> {
  const file = files.find((one) => one.path === path);
  if (file === undefined) return null;
  for await (const { bytes } of repository.readBlobs([file.blob])) return bytes.toString("utf8");
  return null;
}

async function runBuilder(
  options: BuildModule,
  root: string,
  manifest: Manifest,
  addLog: (text: string) => void,
): Promise<BuildOutcome> {
  const builder = findBuilder(manifest.language);
  const dependencies = [];
  for (const { module, kind, artifact } of options.dependencies) {
    if (!(await options.store.hasBlob(artifact.blob)))
      return outstanding(
        "artifact-store",
        `artifact ${artifact.digest} of ${module} is not in the artifact store; ${sayMend(module)}`,
      );
    const folder = join(root, `dependency-${module}`);
    const damage = await unpackDependency(options, artifact, folder);
    if (damage !== null)
      return outstanding(
        "artifact-store",
        `artifact ${artifact.digest} of ${module} is damaged: ${damage}; ${sayMend(module)}`,
      );
    dependencies.push({ module, kind, digest: artifact.digest, folder });
  }
  const recorder = recordOutput(options.sandbox, addLog);
  let step = "";
  return builder.build({
    module: options.closure.module,
    root,
    dependencies,
    cache: options.folders.cache,
    registries: { ...publicRegistries, ...options.registries },
    sandbox: recorder.sandbox,
    limits: options.limits ?? sandboxLimits,
    signal: options.signal,
    onStep: (now) => {
      if (now !== step) addLog(`--- ${now}\n`);
      step = now;
      options.onProgress?.(now);
    },
    log: recorder.log,
  });
}

function sayMend(module: Name): string {
  return `it is built again by itself, or by mesh build ${module} --again`;
}

/** Null: it is there. A blob that is not what it was is nobody's mistake but the disk's. */
async function unpackDependency(options: BuildModule, artifact: Artifact, folder: string): Promise<string | null> {
  try {
    const from = await options.store.openBlob(artifact.blob);
    await unpackArtifact({ from, into: folder, digest: artifact.digest, signal: options.signal });
    return null;
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
}

async function pack(options: BuildModule, folder: string): Promise<Packed> {
  return packFolder({
    folder,
    store: options.store,
    limitBytes: (options.limits ?? sandboxLimits).diskBytes,
    signal: options.signal,
    onProgress: () => options.onProgress?.("pack"),
  });
}

function toArtifact(module: Name, packed: Packed): Artifact {
  return { module, digest: packed.digest, blob: packed.blob, blobBytes: packed.blobBytes, files: packed.files };
}
