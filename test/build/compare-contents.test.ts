import { expect, it } from "vitest";
import { compareContents } from "../../src/build/compare-contents.ts";

const file = (path: string, sha256 = "a", more: { mode?: "644" | "755"; bytes?: number } = {}) => ({
  path,
  mode: "644" as const,
  bytes: 1,
  sha256,
  ...more,
});

it("names each file that differs, and how (R10)", () => {
  const first = [file("same"), file("bytes"), file("size"), file("mode"), file("gone")];
  const second = [
    file("new"),
    file("mode", "a", { mode: "755" }),
    file("size", "b", { bytes: 2 }),
    file("bytes", "b"),
    file("same"),
  ];
  expect(compareContents(first, second)).toEqual([
    "bytes: other bytes",
    "gone: only in the first",
    "mode: mode 644, then 755",
    "new: only in the second",
    "size: 1 bytes, then 2",
  ]);
});

it("cuts a long list and says how many more there are", () => {
  const many = Array.from({ length: 70 }, (_, at) => file(`f${at}`));
  const said = compareContents(many, []);
  expect(said).toHaveLength(51);
  expect(said.at(-1)).toBe("… and 20 files more");
});
