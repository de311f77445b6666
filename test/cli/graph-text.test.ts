import { expect, it } from "vitest";
import { graphText } from "../../src/cli/text/graph-text.ts";

it("says that there are none of one kind, and not that nothing is imported", () => {
  const nothing = { module: null, edges: [], cycles: [] };
  expect(graphText(nothing)).toBe("no module imports another");
  expect(graphText({ ...nothing, kind: "test" })).toBe("no module has a test edge");
  expect(graphText({ ...nothing, module: "core" })).toBe("core has no such edges");
});
