import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ResourceReport } from "../../../src/core/report.ts";
import { digestValue } from "../../../src/decide/digest.ts";
import { beginTracking, endTracking } from "../../../src/host/cycle/track-resources.ts";
import type { Applied } from "../../../src/host/state/applied.ts";
import { textFile } from "../../support/host-bed.ts";

const names = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"));

function idsOf(applied: Applied | null): string[] {
  return (applied?.resources ?? []).map(({ resource }) => resource.id).toSorted();
}

describe("what is tracked", () => {
  it("loses nothing that may be there, whatever was wanted and wherever an apply was cut (R44)", () => {
    const step = fc.record({ wanted: names, ends: fc.boolean(), removes: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        let tracked: Applied | null = null;
        const there = new Set<string>();
        for (const { wanted, ends, removes } of steps) {
          const resources = wanted.map((name) => textFile(name, "x"));
          tracked = beginTracking(tracked, digestValue(wanted), resources);
          for (const { id } of resources) there.add(id);
          expect(idsOf(tracked)).toEqual(expect.arrayContaining([...there]));
          if (!ends) continue;
          const gone = removes ? [...there].filter((id) => !resources.some((each) => each.id === id)) : [];
          tracked = endTracking(tracked, new Map(), new Set(gone), true);
          for (const id of gone) there.delete(id);
          expect(idsOf(tracked)).toEqual([...there].toSorted());
        }
      }),
    );
  });

  it("forgets that a resource was applied when another is wanted in its place: no drift is said then", () => {
    const before = textFile("a", "one");
    const report: ResourceReport = { id: before.id, state: "applied", message: "" };
    const one = endTracking(
      beginTracking(null, digestValue(1), [before]),
      new Map([[before.id, report]]),
      new Set(),
      true,
    );
    expect(beginTracking(one, digestValue(1), [before])).toEqual(one);
    const two = beginTracking(one, digestValue(2), [textFile("a", "two")]);
    expect(two).toMatchObject({ finished: false, resources: [{ applied: false }] });
  });
});
