import { expect, it } from "vitest";
import { describeWebhook, dueWords, isOwnLook } from "../../src/decide/own-reasons.ts";

it("a look that is due by the records, or that a webhook asks for, is nobody's in person (R7, R33)", () => {
  for (const words of Object.values(dueWords)) expect(isOwnLook([`${words}: core`]), words).toBe(true);
  expect(isOwnLook([describeWebhook("forge"), `${dueWords.moved}: shop#main at abcdef0`])).toBe(true);
  expect(isOwnLook([])).toBe(true);
});

it.each([
  "mesh build",
  "mesh build core",
  "module core was registered",
  "repository shop moved",
  "controller x took over at epoch 2",
  "what else",
])("a look for %o asks every source, whatever else is due", (why) => {
  expect(isOwnLook([why])).toBe(false);
  expect(isOwnLook([`${dueWords.moved}: shop#main at abcdef0`, why])).toBe(false);
});
