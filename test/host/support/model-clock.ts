import type { HostClock } from "../../../src/host/host-clock.ts";

/** A clock that passes only by waiting, or when it is told to. It stops whoever waits after `waitsLeft` waits. */
export function createModelClock(waitsLeft: number) {
  let nowMs = Date.parse("2026-03-01T12:00:00.000Z");
  const stop = new AbortController();
  const waits: number[] = [];
  const clock: HostClock = {
    nowMs: () => nowMs,
    async wait(ms) {
      waits.push(ms);
      nowMs += ms;
      if (waits.length >= waitsLeft) stop.abort();
    },
    after: () => () => undefined,
    every: () => () => undefined,
  };
  return {
    clock,
    waits,
    stop,
    /** Also back, as when somebody sets it. */
    pass: (ms: number): void => {
      nowMs += ms;
    },
  };
}
