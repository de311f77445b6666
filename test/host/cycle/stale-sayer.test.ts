import { describe, expect, it } from "vitest";
import { createStaleSayer } from "../../../src/host/cycle/stale-sayer.ts";

const REFERENCE = Date.parse("2026-01-01T00:00:00.000Z");
const HOUR = 3_600_000;

/** A host that accepted a declaration at REFERENCE which goes stale a day later. */
function sayerAt(at: { nowMs: number; lastWordMs: number | null }) {
  const said: unknown[] = [];
  const never = (): void => undefined;
  const declaration = {
    issuedAt: new Date(REFERENCE).toISOString(),
    staleAfter: new Date(REFERENCE + 24 * HOUR).toISOString(),
  };
  const say = createStaleSayer(
    {
      log: { info: never, error: never, warn: (_message, fields) => said.push(fields?.["since"]) },
      nowMs: () => at.nowMs,
    },
    { accepted: { declaration } },
    () => at.lastWordMs,
  );
  return { say, said, at };
}

describe("a host that hears nothing (R30)", () => {
  it("says since when, once, when its declaration has gone stale", () => {
    const host = sayerAt({ nowMs: REFERENCE + 30 * HOUR, lastWordMs: REFERENCE + 2 * HOUR });
    host.say();
    host.say();
    expect(host.said).toEqual(["2026-01-01T02:00:00.000Z"]);
  });

  it("counts from when the declaration was issued where it never heard from the controller since its start", () => {
    const host = sayerAt({ nowMs: REFERENCE + 30 * HOUR, lastWordMs: null });
    host.say();
    expect(host.said).toEqual(["2026-01-01T00:00:00.000Z"]);
  });

  it("says nothing before that, and nothing while the controller answers", () => {
    for (const at of [
      { nowMs: REFERENCE + 24 * HOUR, lastWordMs: REFERENCE },
      { nowMs: REFERENCE + 90 * HOUR, lastWordMs: REFERENCE + 90 * HOUR - 30_000 },
    ]) {
      const host = sayerAt(at);
      host.say();
      expect(host.said).toEqual([]);
    }
  });
});
