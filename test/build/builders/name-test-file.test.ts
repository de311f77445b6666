import { describe, expect, it } from "vitest";
import { nameTestFile } from "../../../src/build/builders/run-tests.ts";

describe("a test file is run whatever is in its name (R11)", () => {
  it.each([
    ["dist/a.test.js", 20, "dist/a.test.js"],
    ["dist/routes/[id].test.js", 20, "dist/routes/[id].test.js"],
    ["dist/a.test.js", 22, "dist/a.test.js"],
    ["dist/routes/[id].test.js", 22, "dist/routes/?id?.test.js"],
    ["dist/a*b/x(1)!{y}?.test.js", 24, "dist/a?b/x?1???y??.test.js"],
    ["dist/back\\slash.test.js", 21, "dist/back?slash.test.js"],
  ])("%s on Node %i", (file, nodeMajor, name) => {
    expect(nameTestFile(file, nodeMajor)).toBe(name);
  });
});
