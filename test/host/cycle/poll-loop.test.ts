import { describe, expect, it } from "vitest";
import type { OpenInbox } from "../../../src/host/cycle/inbox.ts";
import { pollLoop } from "../../../src/host/cycle/poll-loop.ts";
import { createModelClock } from "../support/model-clock.ts";

const never = (): void => undefined;
const log = { info: never, warn: never, error: never };
const inbox = { accepted: null } as unknown as OpenInbox;

describe("asking for what is newer (R33)", () => {
  it("waits longer and longer where *nothing* comes at once: a copy of this host asks, too", async () => {
    const { clock, waits, stop } = createModelClock(8);
    let asked = 0;
    const fetchDeclaration = async (): Promise<null> => {
      if ((asked += 1) > 100) stop.abort();
      return null;
    };
    const controller = { fetchDeclaration };
    await pollLoop({ controller, inbox, log, clock, chance: () => 0.5, onWord: never, onChange: never }, stop.signal);
    expect(waits).toHaveLength(8);
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    expect(waits.at(-1)).toBeGreaterThan(10_000);
  });

  it("asks again at once where it was waited for", async () => {
    const { clock, waits, stop, pass } = createModelClock(1);
    let asked = 0;
    const fetchDeclaration = async (): Promise<null> => {
      pass(50_000);
      if ((asked += 1) === 5) stop.abort();
      return null;
    };
    const controller = { fetchDeclaration };
    await pollLoop({ controller, inbox, log, clock, chance: () => 0.5, onWord: never, onChange: never }, stop.signal);
    expect(asked).toBe(5);
    expect(waits).toEqual([]);
  });
});
