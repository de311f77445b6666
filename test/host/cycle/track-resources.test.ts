import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ResourceReport } from "../../../src/core/report.ts";
import { digestValue } from "../../../src/decide/digest.ts";
import { placeOf } from "../../../src/host/cycle/place-of.ts";
import { beginTracking, endTracking, isSameTracking } from "../../../src/host/cycle/track-resources.ts";
import type { Applied } from "../../../src/host/state/applied.ts";
import { textFile } from "../../support/host-bed.ts";

const names = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"));

function idsOf(applied: Applied | null): string[] {
  return (applied?.resources ?? []).map(({ resource }) => resource.id).toSorted();
}

function placeOfId(id: string): string {
  return placeOf(textFile(id.split("/").at(-1) ?? "", "x"));
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
          tracked = endTracking(tracked, new Map(), new Set(gone.map(placeOfId)), true);
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

  it("keeps of the same content that it was finished, and of another that it was not", () => {
    const [a, b] = [textFile("a", "one"), textFile("b", "one")];
    const before: Applied = {
      content: digestValue(1),
      finished: true,
      resources: [{ resource: a, applied: true }],
      withdrawn: [],
    };
    expect(beginTracking(before, digestValue(1), [a, b])).toEqual({
      content: digestValue(1),
      finished: true,
      resources: [
        { resource: a, applied: true },
        { resource: b, applied: false },
      ],
      withdrawn: [],
    });
    expect(beginTracking(before, digestValue(2), [a]).finished).toBe(false);
    expect(beginTracking(null, digestValue(1), [a])).toMatchObject({
      finished: false,
      resources: [{ applied: false }],
    });
  });

  it("says after a pass of each resource that it was applied once, whatever this pass read", () => {
    const [a, b, c] = ["a", "b", "c"].map((name) => textFile(name, "one"));
    if (a === undefined || b === undefined || c === undefined) throw new Error("three files");
    const tracked: Applied = {
      content: digestValue(1),
      finished: false,
      resources: [
        { resource: a, applied: true },
        { resource: b, applied: false },
        { resource: c, applied: false },
      ],
      withdrawn: [],
    };
    const read = new Map<string, ResourceReport>([
      [a.id, { id: a.id, state: "failed", message: "" }],
      [b.id, { id: b.id, state: "applied", message: "" }],
    ]);
    expect(endTracking(tracked, read, new Set(), false)).toEqual({
      ...tracked,
      resources: [
        { resource: a, applied: true },
        { resource: b, applied: true },
        { resource: c, applied: false },
      ],
    });
  });

  it.each([
    [false, false, false],
    [false, true, true],
    [true, false, true],
  ])("is finished once it was, finished before %s and by this pass %s: %s", (before, now, finished) => {
    const tracked: Applied = { content: digestValue(1), finished: before, resources: [], withdrawn: [] };
    expect(endTracking(tracked, new Map(), new Set(), now).finished).toBe(finished);
  });

  it("is written again only where it says something else", () => {
    const [a, b] = [textFile("a", "one"), textFile("b", "one")];
    const one: Applied = {
      content: digestValue(1),
      finished: false,
      resources: [{ resource: a, applied: true }],
      withdrawn: [],
    };
    expect(isSameTracking(one, { ...one, resources: [{ resource: textFile("a", "one"), applied: true }] })).toBe(true);
    const others: Applied[] = [
      { ...one, content: digestValue(2) },
      { ...one, finished: true },
      { ...one, resources: [] },
      { ...one, withdrawn: ["grant/postgres/postgresql"] },
      { ...one, resources: [{ resource: a, applied: false }] },
      { ...one, resources: [{ resource: textFile("a", "two"), applied: true }] },
      {
        ...one,
        resources: [
          { resource: a, applied: true },
          { resource: b, applied: true },
        ],
      },
    ];
    for (const other of others) {
      expect(isSameTracking(one, other)).toBe(false);
      expect(isSameTracking(other, one)).toBe(false);
    }
    expect(isSameTracking(null, one)).toBe(false);
  });
});
