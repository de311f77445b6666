import { describe, expect, it } from "vitest";
import { firstThatFit } from "../../src/workflows/attributes.ts";

function namesOf(length: number): string[] {
  return Array.from({ length: 200 }, (_, at) => String(at).padStart(length, "n"));
}

describe("the names that a workflow is found by (R49)", () => {
  it("are the first hundred where they are short, and all of fewer", () => {
    expect(firstThatFit(namesOf(6))).toEqual(namesOf(6).slice(0, 100));
    expect(firstThatFit(["node-a"])).toEqual(["node-a"]);
    expect(firstThatFit([])).toEqual([]);
  });

  it.each([17, 18, 30, 63])(
    "fit into what Temporal takes of one attribute, and one more would not: %i letters",
    (length) => {
      const names = namesOf(length);
      const first = firstThatFit(names);
      const bytesOf = (some: readonly string[]): number => Buffer.byteLength(JSON.stringify(some));
      expect(first).toEqual(names.slice(0, first.length));
      expect(bytesOf(first)).toBeLessThanOrEqual(2048);
      if (first.length < 100) expect(bytesOf(names.slice(0, first.length + 1))).toBeGreaterThan(2047);
    },
  );
});
