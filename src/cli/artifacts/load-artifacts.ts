import { InputError } from "../../core/errors.ts";
import { namePattern, type Digest, type Name } from "../../core/names.ts";
import { keyOfArtifact } from "../../decide/group-losses.ts";
import { listAllArtifacts, type ArtifactRecord } from "../../store/artifacts.ts";
import { listBuildChecks, type BuildCheck } from "../../store/build-checks.ts";
import { listFitBuilds, type BuildRecord } from "../../store/builds.ts";
import type { Queryable } from "../../store/database.ts";
import { listSent, type SentRecord } from "../../store/declarations.ts";
import { listModules, type ModuleRecord } from "../../store/modules.ts";
import { plainLine } from "../text/plain.ts";

/** One artifact with what the records know of it. */
export interface KnownArtifact extends ArtifactRecord {
  /** The newest fit build that gave it; null: none is recorded as fit any more. */
  readonly build: BuildRecord | null;
  /** Nodes that were last sent it. */
  readonly sentTo: readonly Name[];
  /** Is it what its module is now? */
  readonly isFit: boolean;
  /** The newest second build of it. */
  readonly check: BuildCheck | null;
}

/** By module, the newest first. */
export async function loadArtifacts(db: Queryable, mesh: Name): Promise<KnownArtifact[]> {
  const records = await listAllArtifacts(db, mesh);
  const digests = [...new Set(records.map((record) => record.artifact.digest))];
  return joinArtifacts(records, {
    builds: await listFitBuilds(db, mesh, digests),
    checks: await listBuildChecks(db, mesh),
    sent: await listSent(db, mesh),
    modules: await listModules(db, mesh),
  });
}

export interface ArtifactFacts {
  /** The newest of each artifact first, and so are the second builds. */
  readonly builds: readonly BuildRecord[];
  readonly checks: readonly BuildCheck[];
  readonly sent: readonly Pick<SentRecord, "node" | "builds">[];
  readonly modules: readonly Pick<ModuleRecord, "name" | "fitArtifact">[];
}

/** Each record is read once, however many artifacts there are. */
export function joinArtifacts(records: readonly ArtifactRecord[], facts: ArtifactFacts): KnownArtifact[] {
  const builds = firstByKey(facts.builds);
  const checks = firstByKey(facts.checks);
  const sentTo = groupSent(facts.sent);
  const fit = new Map(facts.modules.map((module) => [module.name, module.fitArtifact]));
  return records.map((record) => {
    const { module, digest } = record.artifact;
    const key = keyOfArtifact({ module, artifact: digest });
    return {
      ...record,
      build: builds.get(key) ?? null,
      sentTo: sentTo.get(key) ?? [],
      isFit: fit.get(module) === digest,
      check: checks.get(key) ?? null,
    };
  });
}

function firstByKey<T extends { readonly module: Name; readonly artifact: Digest | null }>(
  rows: readonly T[],
): Map<string, T> {
  const byKey = new Map<string, T>();
  for (const row of rows) {
    if (row.artifact === null) continue;
    const key = keyOfArtifact({ module: row.module, artifact: row.artifact });
    if (!byKey.has(key)) byKey.set(key, row);
  }
  return byKey;
}

/** Nodes by what they were last sent. */
function groupSent(sent: ArtifactFacts["sent"]): Map<string, Name[]> {
  const byKey = new Map<string, Name[]>();
  for (const { node, builds } of sent)
    for (const [module, artifact] of Object.entries(builds ?? {})) {
      const key = keyOfArtifact({ module, artifact });
      const nodes = byKey.get(key);
      if (nodes === undefined) byKey.set(key, [node]);
      else nodes.push(node);
    }
  return byKey;
}

/** Shorter beginnings of a digest are too easily two. */
const leastDigits = 7;

/**
 * The artifacts that a word names: a module's newest one that is fit (else its newest), or those whose digest begins
 * so. InputError where there is none, or where a beginning is that of several digests.
 */
export function findArtifacts(known: readonly KnownArtifact[], word: string): readonly KnownArtifact[] {
  const ofModule = namePattern.test(word) ? known.filter((one) => one.artifact.module === word) : [];
  const newest = ofModule.find((one) => one.isFit) ?? ofModule[0];
  if (newest !== undefined) return [newest];
  const digits = word.startsWith("sha256:") ? word.slice("sha256:".length) : word;
  const shown = plainLine(word, 80);
  if (!/^[0-9a-f]{1,64}$/.test(digits))
    throw new InputError(`there is no artifact of a module ${shown}`, "see mesh artifact list");
  if (digits.length < leastDigits)
    throw new InputError(
      `${shown} is too short for a digest: at least ${leastDigits} digits`,
      "see mesh artifact list",
    );
  const found = known.filter((one) => one.artifact.digest.startsWith(`sha256:${digits}`));
  const digests = new Set(found.map((one) => one.artifact.digest));
  if (digests.size === 0) throw new InputError(`there is no artifact ${shown}`, "see mesh artifact list");
  if (digests.size > 1)
    throw new InputError(`${shown} is the beginning of ${digests.size} artifacts`, "give more digits of it");
  return found;
}
