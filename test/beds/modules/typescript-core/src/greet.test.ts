import assert from "node:assert/strict";
import { test } from "node:test";
import { greet } from "./greet.ts";

test("names who is greeted", () => {
  assert.match(greet("mesh"), /mesh/);
});
