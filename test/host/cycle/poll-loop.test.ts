import { describe, expect, it } from "vitest";
import type { OpenInbox } from "../../../src/host/cycle/inbox.ts";
import { pollLoop } from "../../../src/host/cycle/poll-loop.ts";
import { createModelClock } from "../support/model-clock.ts";

const never = (): void => undefined;
const log = { info: never, warn: never, error: never };
const inbox = { accepted: null, overtake: () => false } as unknown as OpenInbox;

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

  it("says that what could not be written down is not offered any more, once there is nothing newer", async () => {
    const { clock, stop } = createModelClock(8);
    const changes: string[] = [];
    let problem = true;
    const overtake = (): boolean => {
      const was = problem;
      problem = false;
      return was;
    };
    const answers = [Buffer.from("a declaration"), null, null];
    const fetchDeclaration = async (): Promise<Buffer | null> => {
      if (answers.length === 1) stop.abort();
      return answers.shift() ?? null;
    };
    const full = { ...inbox, receive: async () => "not-written" as const, overtake };
    const onChange = (what: string): void => void changes.push(what);
    const options = { controller: { fetchDeclaration }, inbox: full, log, clock, chance: () => 0.5, onWord: never };
    await pollLoop({ ...options, onChange }, stop.signal);
    expect(changes).toEqual(["not-written", "overtaken"]);
  });
});
