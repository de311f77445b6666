import assert from "node:assert/strict";
import { test } from "node:test";
import { greet } from "@bed/typescript-core";

test("is built against a core that greets", () => {
  assert.match(greet("you"), /you/);
});
