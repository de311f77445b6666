import { expect, it } from "vitest";
import { compareAhead } from "../../src/activities/compare-ahead.ts";
import type { PlanRecords } from "../../src/activities/kept-records.ts";
import type { Comparison } from "../../src/source/compare-sources.ts";

const recordsOf = (): PlanRecords => ({
  modules: [],
  edgesOf: new Map(),
  builds: new Map(),
  registered: [],
  known: new Map(),
});
const comparisonOf = (parsedFiles: number): Comparison => ({
  modules: [],
  unread: new Map(),
  listUnchanged: () => Promise.resolve([]),
  parsedFiles,
  cachedFiles: 0,
});

const notApart = (): never => {
  throw new Error("they were read before");
};

it("compares once, while the records are asked, where nobody changed them", async () => {
  const last = recordsOf();
  let isRead = false;
  const beganBefore: boolean[] = [];
  const kept = {
    lastRead: () => last,
    readApart: notApart,
    read: () => new Promise<PlanRecords>((resolve) => setImmediate(() => ((isRead = true), resolve(last)))),
  };
  const { records, comparison } = await compareAhead(kept, async () => {
    beganBefore.push(!isRead);
    return comparisonOf(1);
  });
  expect(records).toBe(last);
  expect(comparison.parsedFiles).toBe(1);
  expect(beganBefore).toEqual([true]);
});

it("compares again with records that somebody changed, whatever came of the comparison with the old ones", async () => {
  const [old, fresh] = [recordsOf(), recordsOf()];
  const kept = { lastRead: () => old, readApart: notApart, read: () => Promise.resolve(fresh) };
  const seen: string[] = [];
  const compared = compareAhead(kept, async (against, signal) => {
    if (against === fresh) {
      seen.push("fresh");
      return comparisonOf(2);
    }
    await new Promise((resolve) => signal?.addEventListener("abort", resolve));
    seen.push("old one stopped");
    throw new Error("a module that is not registered any more");
  });
  expect((await compared).records).toBe(fresh);
  expect((await compared).comparison.parsedFiles).toBe(2);
  expect(seen).toEqual(["old one stopped", "fresh"]);
});

it("says what went wrong with the sources where the records are the same, and asks them once", async () => {
  const last = recordsOf();
  const kept = { lastRead: () => last, readApart: notApart, read: () => Promise.resolve(last) };
  let asked = 0;
  const compared = compareAhead(kept, () => Promise.reject(new Error(`no answer ${(asked += 1)}`)));
  await expect(compared).rejects.toThrow("no answer 1");
});

it("is no answer where the records give none (R42)", async () => {
  const kept = {
    lastRead: recordsOf,
    readApart: notApart,
    read: () => Promise.reject(new Error("the database is gone")),
  };
  await expect(compareAhead(kept, async () => comparisonOf(1))).rejects.toThrow("the database is gone");
});

it("begins with the modules where nothing was read before, while the others are read", async () => {
  const fresh = recordsOf();
  let tellRest: (records: PlanRecords) => void = () => undefined;
  const whole = new Promise<PlanRecords>((resolve) => (tellRest = resolve));
  const { registered, known } = fresh;
  const kept = {
    lastRead: () => null,
    read: notApart,
    readApart: () => ({ first: Promise.resolve({ registered, known }), whole }),
  };
  let compared = 0;
  const { records, comparison } = await compareAhead(kept, async () => {
    compared += 1;
    tellRest(fresh);
    return comparisonOf(1);
  });
  expect(records).toBe(fresh);
  expect(comparison.parsedFiles).toBe(1);
  expect(compared).toBe(1);
});

it("compares again where somebody wrote after the modules were read", async () => {
  const [early, fresh] = [recordsOf(), recordsOf()];
  const kept = {
    lastRead: () => null,
    read: notApart,
    readApart: () => ({ first: Promise.resolve(early), whole: Promise.resolve(fresh) }),
  };
  const { records, comparison } = await compareAhead(kept, async ({ registered }) =>
    comparisonOf(registered === fresh.registered ? 2 : 1),
  );
  expect(records).toBe(fresh);
  expect(comparison.parsedFiles).toBe(2);
});
