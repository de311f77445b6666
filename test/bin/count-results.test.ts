import { expect, it } from "vitest";
import { countResults, formatCounts } from "../../bin/count-results.js";

const report = (more: object): object => ({
  success: true,
  numPassedTests: 5,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  testResults: [],
  ...more,
});
const last = (more: object | null, failed = false, gate?: string): string =>
  formatCounts(countResults(more === null ? null : report(more), gate === undefined ? { failed } : { failed, gate }));

it("counts what passed, and says skipped only where there is some, before the last line", () => {
  expect(last({})).toBe("5 passed, 0 failed");
  expect(last({ numPendingTests: 2, numTodoTests: 1 })).toBe("3 skipped\n5 passed, 0 failed");
});

it("counts a file that could not be loaded, though it has no test", () => {
  const testResults = [
    { status: "failed", assertionResults: [] },
    { status: "failed", assertionResults: [{ status: "failed" }] },
  ];
  expect(last({ success: false, numFailedTests: 1, testResults }, true)).toBe("5 passed, 2 failed");
});

it("counts a failure outside the tests as one", () => {
  expect(last({ success: false }, true)).toBe("5 passed, 1 failed");
  expect(last({}, true)).toBe("5 passed, 1 failed");
});

it("counts a run that wrote no report as failed", () => {
  expect(last(null, false)).toBe("0 passed, 1 failed");
});

it("counts the gate as one test", () => {
  expect(last({}, false, "passed")).toBe("6 passed, 0 failed");
  expect(last({}, false, "failed")).toBe("5 passed, 1 failed");
});
