import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digestValue } from "../../src/decide/digest.ts";
import { planCollection, type ArtifactId, type CollectionFacts } from "../../src/decide/plan-collection.ts";

const now = "2026-03-10T00:00:00.000Z";
const graceMs = 24 * 3_600_000;
const digest = (at: number): string => digestValue(`artifact ${at}`);
const moduleNames = ["core", "lib", "page"] as const;

const anyId = fc
  .tuple(fc.constantFrom(...moduleNames), fc.nat({ max: 11 }))
  .map(([module, at]): ArtifactId => ({ module, digest: digest(at) }));

/** Any records at all: builds that go round, inputs that are not recorded, roots that nobody built. */
const anyFacts: fc.Arbitrary<CollectionFacts> = fc.record({
  artifacts: fc
    .uniqueArray(anyId, { selector: (one) => `${one.module} ${one.digest}`, maxLength: 30 })
    .chain((ids) =>
      fc.tuple(
        ...ids.map((id) =>
          fc.boolean().map((young) => ({ ...id, packedAt: young ? now : "2026-01-01T00:00:00.000Z" })),
        ),
      ),
    ),
  roots: fc.array(
    anyId.map((id) => ({ ...id, why: "a root" })),
    { maxLength: 4 },
  ),
  builds: fc.array(
    fc.tuple(anyId, fc.array(anyId, { maxLength: 3 })).map(([made, against]) => ({
      artifact: made.digest,
      closure: {
        module: made.module,
        dependencies: Object.fromEntries(against.map((one) => [one.module, one.digest])),
      },
    })),
    { maxLength: 30 },
  ),
  now: fc.constant(now),
  graceMs: fc.constant(graceMs),
});

const keyOf = (one: ArtifactId): string => `${one.module} ${one.digest}`;

/** Reached in the plainest way: again and again until nothing is new. */
function reachable(facts: CollectionFacts): ReadonlySet<string> {
  const young = facts.artifacts.filter((one) => one.packedAt === now);
  let reached = new Set([...facts.roots, ...young].map(keyOf));
  for (;;) {
    const next = new Set(reached);
    for (const { artifact, closure } of facts.builds)
      if (reached.has(keyOf({ module: closure.module, digest: artifact })))
        for (const [module, input] of Object.entries(closure.dependencies)) next.add(keyOf({ module, digest: input }));
    if (next.size === reached.size) return reached;
    reached = next;
  }
}

describe("a collection", () => {
  it("never takes what is reachable, and takes all that is not (R45)", () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const plan = planCollection(facts);
        const reached = reachable(facts);
        for (const one of plan.collect) expect(reached.has(keyOf(one))).toBe(false);
        for (const one of plan.keep) expect(reached.has(keyOf(one))).toBe(true);
        expect([...plan.collect, ...plan.keep].map(keyOf).toSorted()).toEqual(facts.artifacts.map(keyOf).toSorted());
        for (const one of plan.keep) expect(one.why).not.toBe("");
      }),
      { numRuns: 1000 },
    );
  });

  it("does not depend on the order in which the records are read", () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const turned = {
          ...facts,
          artifacts: facts.artifacts.toReversed(),
          roots: facts.roots.toReversed(),
          builds: facts.builds.toReversed(),
        };
        const sorted = (plan: ReturnType<typeof planCollection>) => plan.collect.map(keyOf).toSorted();
        expect(sorted(planCollection(turned))).toEqual(sorted(planCollection(facts)));
      }),
    );
  });
});
