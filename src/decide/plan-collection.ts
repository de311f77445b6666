import type { Closure } from "../core/artifact.ts";
import type { Digest, Name } from "../core/names.ts";
import { ageMs } from "./ages.ts";

/** One artifact of one module. Equal content under two modules is two of them. */
export interface ArtifactId {
  readonly module: Name;
  readonly digest: Digest;
}

export interface CollectionFacts {
  readonly artifacts: readonly (ArtifactId & {
    /** ISO: the last time that a build gave it. */
    readonly packedAt: string;
  })[];
  /** What must stay by itself, with the reason as a phrase. */
  readonly roots: readonly (ArtifactId & { readonly why: string })[];
  /** Fit builds: what came out, and what it was built against. */
  readonly builds: readonly {
    readonly module: Name;
    readonly artifact: Digest;
    readonly dependencies: Closure["dependencies"];
  }[];
  /** ISO. */
  readonly now: string;
  /** Younger ones stay: a build or a push under way may be about to name them. */
  readonly graceMs: number;
}

export interface CollectionPlan {
  readonly collect: readonly ArtifactId[];
  readonly keep: readonly (ArtifactId & { readonly why: string })[];
}

/**
 * What may be collected: everything that is not kept by itself, is not young, and was not built into anything kept,
 * however far down (R45). Every artifact is in exactly one of the two lists.
 */
export function planCollection(facts: CollectionFacts): CollectionPlan {
  const why = new Map<string, string>();
  const queue: ArtifactId[] = [];
  const keep = (one: ArtifactId, reason: string): void => {
    if (why.has(keyOf(one))) return;
    why.set(keyOf(one), reason);
    queue.push(one);
  };
  for (const root of facts.roots) keep(root, root.why);
  for (const one of facts.artifacts)
    if (ageMs(facts.now, one.packedAt) < facts.graceMs) keep(one, "it was built lately");
  const inputs = inputsByArtifact(facts);
  for (const one of queue)
    for (const input of inputs.get(keyOf(one)) ?? []) keep(input, `it is built into a ${one.module} that is kept`);
  return {
    collect: facts.artifacts.filter((one) => !why.has(keyOf(one))).map(({ module, digest }) => ({ module, digest })),
    keep: facts.artifacts.flatMap(({ module, digest }) => {
      const reason = why.get(keyOf({ module, digest }));
      return reason === undefined ? [] : [{ module, digest, why: reason }];
    }),
  };
}

/**
 * Of what a plan would take, what may go by what is so a moment later. `later`: those artifacts as they are by then, and all
 * that must stay by itself by then, with what was built since is built against. What the plan kept it goes on keeping, with all
 * that was built into it: what is reached anew is reached through other builds.
 */
export function planCollectionAgain(
  { builds, graceMs }: Pick<CollectionFacts, "builds" | "graceMs">,
  { keep }: Pick<CollectionPlan, "keep">,
  later: Pick<CollectionFacts, "artifacts" | "roots" | "now">,
): readonly ArtifactId[] {
  const kept = new Set(keep.map(keyOf));
  const others = builds.filter(({ module, artifact }) => !kept.has(keyOf({ module, digest: artifact })));
  return planCollection({ ...later, builds: others, graceMs }).collect;
}

function inputsByArtifact({ builds }: CollectionFacts): ReadonlyMap<string, readonly ArtifactId[]> {
  const inputs = new Map<string, ArtifactId[]>();
  for (const { module, artifact, dependencies } of builds) {
    const key = keyOf({ module, digest: artifact });
    const known = inputs.get(key) ?? [];
    for (const [name, digest] of Object.entries(dependencies)) known.push({ module: name, digest });
    inputs.set(key, known);
  }
  return inputs;
}

/** A name holds no `@`. */
function keyOf({ module, digest }: ArtifactId): string {
  return `${module}@${digest}`;
}
