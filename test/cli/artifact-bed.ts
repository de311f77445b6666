import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { keepProvenance, type Builder } from "../../src/activities/keep-provenance.ts";
import { type ArtifactStore, openArtifactStore } from "../../src/build/artifact-store.ts";
import { packFolder } from "../../src/build/pack.ts";
import { meshPaths } from "../../src/cli/mesh-setup.ts";
import type { Artifact, Closure } from "../../src/core/artifact.ts";
import type { Digest } from "../../src/core/names.ts";
import { digestValue } from "../../src/decide/digest.ts";
import { generateSigningKey, type SigningKey } from "../../src/link/keys.ts";
import { createRoot, type RootKey } from "../../src/link/root.ts";
import { putArtifact } from "../../src/store/artifacts.ts";
import { claimBuild, recordVerdict } from "../../src/store/builds.ts";
import { recordFit } from "../../src/store/module-plans.ts";
import { addModules, manifestOf, mesh, treeOf } from "../store/open-records.ts";
import { type CommandBed, openCommandBed } from "./command-bed.ts";

/** A command bed with a real artifact store, a root document, and modules that were "built" from given files. */
export interface ArtifactBed extends CommandBed {
  readonly store: ArtifactStore;
  readonly builder: Builder;
  readonly declarationKey: SigningKey;
  /** Packs, keeps and records as the build activity does. */
  build(module: string, files: Record<string, string>, options?: BuildOptions): Promise<BuiltArtifact>;
}

export interface BuildOptions {
  readonly against?: Readonly<Record<string, Digest>>;
  readonly key?: SigningKey;
  /** Of the build: another one has another statement. */
  readonly invocation?: string;
  /** Whether a statement is kept; it is when left out. */
  readonly statement?: "none";
}

export interface BuiltArtifact {
  readonly artifact: Artifact;
  readonly inputs: Digest;
}

export async function openArtifactBed(): Promise<ArtifactBed> {
  const bed = await openCommandBed();
  const { db } = bed.records;
  const paths = meshPaths(bed.state);
  const store = await openArtifactStore(paths.artifacts);
  const work = await mkdtemp(join(tmpdir(), "mesh-artifact-bed-"));
  const keys = { root: generateSigningKey(), declaration: generateSigningKey(), provenance: generateSigningKey() };
  await writeFile(paths.rootDocument, rootOf(keys));
  const build: ArtifactBed["build"] = async (module, files, options = {}) => {
    await addModules(db, module);
    const folder = await mkdtemp(join(work, "files-"));
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    const packed = await packFolder({ folder, store });
    const artifact = { module, ...packed };
    const manifest = manifestOf(module);
    const closure = closureOf(module, JSON.stringify(files), options.against ?? {});
    const [inputs, commit] = [digestValue(closure), treeOf(`commit ${JSON.stringify(files)}`)];
    const claim = await claimBuild(db, mesh, { module, inputs, closure, commit, claimant: "a test", staleMs: 60_000 });
    await store.putArtifact(artifact, manifest);
    await putArtifact(db, mesh, artifact, manifest);
    const builder = { key: options.key ?? keys.provenance, version: "1.2.3" };
    if (options.statement !== "none")
      await keepProvenance(
        { db, mesh, artifacts: store, builder },
        {
          artifact,
          manifest,
          closure,
          source: { url: "file:///examples.git", branch: "main", path: module, commit },
          invocationId: `build/${module}/${options.invocation ?? 1}`,
          startedOn: "2026-03-01T11:00:00.000Z",
          finishedOn: "2026-03-01T11:01:00.000Z",
        },
      );
    const verdict = { verdict: "fit" as const, artifact: artifact.digest };
    await recordVerdict(db, mesh, {
      module,
      inputs,
      attempt: claim.kind === "claimed" ? claim.attempt : 0,
      verdict,
      logTail: "",
    });
    await recordFit(db, mesh, { module, inputs, artifact: artifact.digest });
    return { artifact, inputs };
  };
  return {
    ...bed,
    store,
    builder: { key: keys.provenance, version: "1.2.3" },
    declarationKey: keys.declaration,
    build,
    async close() {
      await bed.close();
      await rm(work, { recursive: true, force: true });
    },
  };
}

function closureOf(module: string, text: string, dependencies: Readonly<Record<string, Digest>>): Closure {
  return {
    module,
    language: "files",
    tree: treeOf(text),
    dependencies: { ...dependencies },
    toolchain: "none",
    builder: "files-1",
    thirdParties: null,
    settings: {},
  };
}

function rootOf(keys: Record<RootKey["roles"][number], SigningKey>): Buffer {
  const life = { notBefore: "2020-01-01T00:00:00.000Z", notAfter: "2099-01-01T00:00:00.000Z" };
  const listed = (["root", "declaration", "provenance"] as const).map((role) => ({
    publicKey: keys[role].publicKey,
    roles: [role],
    ...life,
  }));
  return createRoot({ schema: 1, mesh, version: 1, threshold: 1, keys: listed }, [keys.root]);
}
