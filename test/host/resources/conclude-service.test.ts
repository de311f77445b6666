import { describe, expect, it } from "vitest";
import { digestValue } from "../../../src/decide/digest.ts";
import { concludeService } from "../../../src/host/resources/conclude-service.ts";
import { diffService, type ObservedService, type WantedService } from "../../../src/host/resources/service.ts";

const NOW = Date.parse("2026-03-01T12:00:00.000Z");
const SECOND = 1000;
const digest = digestValue("spec");

function wanted(changes: Partial<WantedService> = {}): WantedService {
  const spec = {
    id: "service/web/main",
    module: "web",
    artifact: digestValue("files"),
    command: ["node"],
    env: {},
    folder: "/",
    logFile: "/dev/null",
    digest,
  } as const;
  return { spec, health: { tcp: "127.0.0.1:1" }, withinMs: 20 * SECOND, hasProvisions: false, ...changes };
}

function observed(run: object = {}, rest: Partial<ObservedService> = {}): ObservedService {
  const startedMs = NOW - 5 * SECOND;
  const running = {
    spec: digest,
    artifact: digest,
    start: "one",
    alive: true,
    startsAgain: false,
    startedMs,
    firstStartedMs: startedMs,
  };
  return {
    run: { ...running, endings: 0, lastEnding: null, lastRanMs: null, ...run },
    health: null,
    ended: null,
    nowMs: NOW,
    ...rest,
  };
}

const healthy = { ok: true, said: "answers 200" };
const ill = { ok: false, said: "refuses connections" };

describe("what a read of a service shows", () => {
  it.each([
    ["healthy", wanted(), observed({}, { health: healthy }), "applied"],
    [
      "answered for, and only just started",
      wanted(),
      observed({ startedMs: NOW - 900 }, { health: healthy }),
      "waiting",
    ],
    [
      "answered for, and gone",
      wanted(),
      observed({ alive: false, startsAgain: true, endings: 1 }, { health: healthy }),
      "waiting",
    ],
    [
      "answered for between two endings",
      wanted(),
      observed({ startedMs: NOW - 2900, endings: 1 }, { health: healthy }),
      "waiting",
    ],
    [
      "healthy again after an ending",
      wanted(),
      observed({ startedMs: NOW - 3000, endings: 4 }, { health: healthy }),
      "applied",
    ],
    [
      "answered for, and no longer there than the one before was",
      wanted(),
      observed({ startedMs: NOW - 7900, endings: 1, lastRanMs: 4000 }, { health: healthy }),
      "waiting",
    ],
    [
      "healthy for longer than the one before was there",
      wanted(),
      observed({ startedMs: NOW - 8000, endings: 1, lastRanMs: 4000 }, { health: healthy }),
      "applied",
    ],
    [
      "healthy again after it had run for hours",
      wanted(),
      observed({ startedMs: NOW - 3000, endings: 1, lastRanMs: 9_000_000 }, { health: healthy }),
      "applied",
    ],
    [
      "answered for, and ending every minute",
      wanted(),
      observed({ startedMs: NOW - 59 * SECOND, endings: 4, lastRanMs: 60 * SECOND }, { health: healthy }),
      "failed",
    ],
    [
      "healthy, and its endings are forgotten",
      wanted(),
      observed(
        { startedMs: NOW - SECOND, endings: 0, lastRanMs: 60 * SECOND, lastEnding: "exit code 1" },
        { health: healthy },
      ),
      "applied",
    ],
    ["there, and not healthy yet", wanted(), observed({}, { health: ill }), "waiting"],
    ["not healthy past its bound", wanted(), observed({ startedMs: NOW - 21 * SECOND }, { health: ill }), "un-ready"],
    ["without a check, just started", wanted({ health: null }), observed({ startedMs: NOW - 10 }), "waiting"],
    ["without a check, it stayed", wanted({ health: null }), observed(), "applied"],
    [
      "without a check, it has ended once and not stayed yet",
      wanted({ health: null }),
      observed({ endings: 1 }),
      "waiting",
    ],
    ["ended once, started again soon", wanted(), observed({ alive: false, startsAgain: true, endings: 1 }), "waiting"],
    ["ended again and again", wanted(), observed({ alive: false, startsAgain: true, endings: 3 }), "failed"],
    ["alive between two of many endings", wanted(), observed({ endings: 3 }, { health: ill }), "failed"],
    [
      "ending while its provider may not have made anything yet",
      wanted({ hasProvisions: true }),
      observed({ alive: false, startsAgain: true, endings: 5 }),
      "waiting",
    ],
    [
      "ending still, past the bound for its provider",
      wanted({ hasProvisions: true }),
      observed({ alive: false, startsAgain: true, endings: 9, firstStartedMs: NOW - 60 * SECOND }),
      "failed",
    ],
    ["another version", wanted(), observed({ spec: digestValue("other") }), "failed"],
    ["never started", wanted(), { run: null, health: null, ended: null, nowMs: NOW }, "failed"],
  ] as const)("%s (R43, case 33)", (_situation, want, see, state) => {
    expect(concludeService(want, see).state).toBe(state);
  });

  it.each([
    ["it waits for its next start", { alive: false, startsAgain: true, endings: 1 }, null, "it is started again"],
    ["another answers that it is ill", { startedMs: NOW - 500, endings: 1 }, ill, "it is started again"],
    [
      "another answers that it is well",
      { startedMs: NOW - 500, endings: 2 },
      healthy,
      "it has ended twice and is started again",
    ],
    ["it stays, and is ill", { endings: 1 }, ill, "it was started again; not healthy yet: refuses connections"],
    [
      "it stays ill past its bound",
      { startedMs: NOW - 21 * SECOND, endings: 1 },
      ill,
      "it was started again; not healthy within 20 s: refuses connections",
    ],
    ["it has ended a third time", { startedMs: NOW - 500, endings: 3 }, healthy, "it ends again and again"],
  ] as const)(
    "says how it ended before anything that answers at its address: %s (R43)",
    (_when, run, health, words) => {
      const { message } = concludeService(wanted(), observed({ ...run, lastEnding: "exit code 1: taken" }, { health }));
      expect(message).toBe(`exit code 1: taken; ${words}`);
    },
  );

  it("says that a provider may not have made what it requires (R2)", () => {
    const late = observed({ startedMs: NOW - 21 * SECOND }, { health: ill });
    expect(concludeService(wanted({ hasProvisions: true }), late).message).toBe(
      "not healthy within 20 s: refuses connections; perhaps a provider has not made yet what it requires",
    );
  });

  it("gives the same words for the same failure, whatever the count (R32, case 29)", () => {
    const ending = (endings: number) =>
      concludeService(wanted(), observed({ alive: false, startsAgain: true, endings, lastEnding: "exit code 1" }))
        .message;
    expect(ending(4)).toBe(ending(17));
  });

  it("leaves a start that the supervisor has planned to the supervisor", () => {
    expect(diffService(wanted(), observed({ alive: false, startsAgain: true }))).toBeNull();
    expect(diffService(wanted(), observed({ alive: false, startsAgain: false }))).not.toBeNull();
  });
});
