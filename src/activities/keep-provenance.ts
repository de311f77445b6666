import type { ArtifactStore } from "../build/artifact-store.ts";
import type { Artifact, Closure } from "../core/artifact.ts";
import type { Manifest } from "../core/manifest.ts";
import type { Name } from "../core/names.ts";
import { digestValue } from "../decide/digest.ts";
import { makeStatement, type BuildStory } from "../decide/provenance.ts";
import type { SigningKey } from "../link/keys.ts";
import { sealProvenance } from "../link/provenance-envelope.ts";
import type { Queryable } from "../store/database.ts";
import { putProvenance } from "../store/provenance.ts";

/** Who says how an artifact was built. */
export interface Builder {
  /** Of the role `provenance`: it can sign nothing else (R41). */
  readonly key: SigningKey;
  /** Of this product. */
  readonly version: string;
}

export interface KeepProvenance {
  readonly db: Queryable;
  readonly mesh: Name;
  readonly artifacts: ArtifactStore;
  readonly builder: Builder;
}

export interface BuiltStory extends Omit<BuildStory, "mesh" | "builderVersion" | "artifact" | "closure"> {
  readonly artifact: Artifact;
  readonly manifest: Manifest;
  readonly closure: Closure;
}

/** Signs how an artifact came to be, keeps the statement beside it and its digest in the records. */
export async function keepProvenance(deps: KeepProvenance, story: BuiltStory): Promise<void> {
  const { artifact, manifest, closure } = story;
  const statement = makeStatement({ ...story, mesh: deps.mesh, builderVersion: deps.builder.version });
  const envelope = sealProvenance(statement, deps.builder.key);
  const kept = await deps.artifacts.putStatement({ artifact, manifest }, envelope);
  await putProvenance(deps.db, deps.mesh, {
    module: artifact.module,
    inputs: digestValue(closure),
    artifact: artifact.digest,
    commit: story.source.commit,
    ...kept,
  });
}
