import { expect, it } from "vitest";
import { pauseAfter } from "../../src/cli/wait.ts";

it.each([
  ["a small mesh is read as often as it may be", 10, 75],
  ["of a large one at most a fifth of the time is reading", 400, 1600],
])("%s (R48)", (_what, tookMs, pauseMs) => {
  expect(pauseAfter(1000, 75, 1000 + tookMs)).toBe(pauseMs);
});
