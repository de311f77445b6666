import { expect, it } from "vitest";
import { readFailedTestLine } from "../../../src/build/builders/failed-test-line.ts";
import { describeFailures } from "../../../src/build/builders/run-tests.ts";

it.each([
  ["not ok 1 - greets", { indent: "", name: "greets" }],
  ["    not ok 12 - greets", { indent: "    ", name: "greets" }],
  ["not ok 3 - has \\# TODO in its name", { indent: "", name: "has \\# TODO in its name" }],
  ["not ok 3", { indent: "", name: "" }],
  ["not ok 1 - greets # TODO", null],
  ["not ok 1 - # TODO greets later", null],
  ["ok 1 - greets", null],
  ["  says: not ok 1 - greets", null],
])("%s", (line, read) => {
  expect(readFailedTestLine(line)).toEqual(read);
});

it("a test that is marked as not done yet is none of those that fail (case 10)", () => {
  const tap =
    "not ok 1 - later # TODO\n  ---\n  error: 'not yet'\n  ...\nnot ok 2 - greets\n  ---\n  error: 'no'\n  ...\n";
  expect(describeFailures(tap)).toBe("1 test fails:\ngreets: no");
});
