import { EventEmitter } from "node:events";
import { expect, it, vi } from "vitest";
import { listenForStop } from "../../src/host/listen-for-stop.ts";

it.each([
  ["a Ctrl-C that mesh host run passes on is one wish to stop in order", ["SIGINT", "SIGTERM"], 0],
  ["asked the other way round, too", ["SIGTERM", "SIGINT"], 0],
  ["a second Ctrl-C ends it at once", ["SIGINT", "SIGTERM", "SIGINT"], 1],
  ["a second SIGTERM ends it at once", ["SIGTERM", "SIGTERM"], 1],
])("%s", (_what, signals, ends) => {
  const source = new EventEmitter();
  const endAtOnce = vi.fn<() => void>();
  const stop = listenForStop(source, endAtOnce);
  expect(stop.aborted).toBe(false);
  for (const signal of signals) source.emit(signal);
  expect(stop.aborted).toBe(true);
  expect(endAtOnce).toHaveBeenCalledTimes(ends);
});
