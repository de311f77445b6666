import { describe, expect, it } from "vitest";
import { readDescriptions } from "../../src/build/builders/python-plan.ts";

describe("what fetched wheels say of themselves", () => {
  it("is nothing where all that is locked is for other platforms", () => {
    expect(readDescriptions("")).toEqual([]);
  });

  it("is their name, their version and what they need", () => {
    const line = JSON.stringify({ name: "A_b", version: "1.0", requires: ["c[d]>=1 ; extra == 'e'", "***"] });
    expect(readDescriptions(`${line}\n`)).toEqual([
      { name: "a-b", version: "1.0", requires: [{ distribution: "c", extras: ["d"], marker: "extra == 'e'" }] },
    ]);
  });

  it.each([
    ["no name", JSON.stringify({ name: null, version: "1", requires: [] })],
    ["half a line", '{"name": "a", "ver'],
  ])("makes the module unfit where it is %s", (_what, line) => {
    expect(readDescriptions(`${line}\n`)).toMatchObject({
      kind: "judged",
      verdict: { verdict: "unfit", stage: "compile", message: expect.stringMatching(/does not say what it is/) },
    });
  });
});
