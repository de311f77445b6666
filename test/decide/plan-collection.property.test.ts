import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digestValue } from "../../src/decide/digest.ts";
import {
  planCollection,
  planCollectionAgain,
  type ArtifactId,
  type CollectionFacts,
} from "../../src/decide/plan-collection.ts";

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
      module: made.module,
      artifact: made.digest,
      dependencies: Object.fromEntries(against.map((one) => [one.module, one.digest])),
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
    for (const { module: made, artifact, dependencies } of facts.builds)
      if (reached.has(keyOf({ module: made, digest: artifact })))
        for (const [module, input] of Object.entries(dependencies)) next.add(keyOf({ module, digest: input }));
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

  it("looked at again a moment later takes nothing that is reachable by then, and all where nothing moved (R45)", () => {
    fc.assert(
      fc.property(anyFacts, anyFacts, fc.array(fc.boolean(), { maxLength: 30 }), (facts, more, packed) => {
        const plan = planCollection(facts);
        const { artifacts } = facts;
        const again = (later: Pick<CollectionFacts, "artifacts" | "roots" | "now">) =>
          planCollectionAgain(facts, plan, later);
        const ofPlan = (all: CollectionFacts["artifacts"]) => {
          const taken = new Set(plan.collect.map(keyOf));
          return all.filter((one) => taken.has(keyOf(one)));
        };
        expect(again({ artifacts: ofPlan(artifacts), roots: facts.roots, now })).toEqual(plan.collect);
        // Others are needed now, some were packed again, and more was built, of whatever.
        const moved = artifacts.map((one, at) => (packed[at] === true ? { ...one, packedAt: now } : one));
        const built = more.builds.map(({ module, artifact }) => ({ module, digest: artifact, packedAt: now }));
        const later = {
          ...facts,
          artifacts: [...moved.filter((one) => !built.some((made) => keyOf(made) === keyOf(one))), ...built],
          roots: more.roots,
          builds: [...facts.builds, ...more.builds],
        };
        // Of what was packed since, by whichever build of it.
        const packedSince = new Set(built.map(keyOf));
        const since = later.builds.filter((one) => packedSince.has(keyOf({ ...one, digest: one.artifact })));
        const inputs = since.flatMap(({ dependencies }) =>
          Object.entries(dependencies).map(([module, input]) => ({ module, digest: input, why: "built lately" })),
        );
        const collect = again({ artifacts: ofPlan(later.artifacts), roots: [...later.roots, ...inputs], now });
        const reached = reachable(later);
        for (const one of collect) expect(reached.has(keyOf(one))).toBe(false);
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
