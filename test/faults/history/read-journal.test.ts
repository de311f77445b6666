import { describe, expect, it } from "vitest";
import { parseJournal } from "./read-journal.ts";
import { measureWithoutHolder } from "./recorder.ts";

const [digest, incarnation] = ["sha256:aa", "i1"];
const line = (message: string): string =>
  JSON.stringify({
    time: "2026-01-01T00:00:01.000Z",
    level: "info",
    message,
    epoch: 1,
    number: 2,
    digest,
    incarnation,
  });

describe("a host's journal", () => {
  it("is what it accepted and went by, in its order", () => {
    const text = `${line("declaration accepted")}\n${line("declaration is applied")}\n`;
    expect(parseJournal("node-a", text)).toMatchObject([
      { node: "node-a", what: "accepted", epoch: 1, number: 2 },
      { what: "applied", atMs: Date.parse("2026-01-01T00:00:01.000Z") },
    ]);
  });

  it("passes over other lines, and over one that a kill cut", () => {
    const text = `failpoint host.mark:before: kill\n${line("host started")}\n${line("declaration accepted").slice(0, 40)}`;
    expect(parseJournal("node-a", text)).toEqual([]);
  });
});

describe("the time without a holder", () => {
  const seen = (epoch: number, holder: string | null, atMs: number) => ({ epoch, holder, atMs, beat: 1 });

  it("begins where a lease was given back, or where the age of one that was not renewed is over", () => {
    const leases = [
      seen(1, "a", 0),
      seen(1, "a", 5_000),
      seen(2, "b", 22_000),
      seen(2, null, 30_000),
      seen(3, "c", 31_000),
    ];
    expect(measureWithoutHolder(leases, 15_000)).toEqual({ longestMs: 2_000, sumMs: 3_000 });
  });
});
