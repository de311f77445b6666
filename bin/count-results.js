// From vitest's JSON report to the last line of a run. Nothing that failed may be missing from it.

/**
 * @param {object | null} report vitest's, null when there is none
 * @param {{ failed: boolean, gate?: string }} run whether vitest (or what came before it) failed; `passed` or `failed`
 */
export function countResults(report, { failed: runFailed, gate }) {
  let passed = report?.numPassedTests ?? 0;
  let failed = report?.numFailedTests ?? 0;
  const skipped = (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0);
  // A file that could not be loaded has no tests to count.
  failed += (report?.testResults ?? []).filter(
    (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
  ).length;
  // Something outside the tests: a setup, an error that nobody caught, a report that was not written.
  if (failed === 0 && (runFailed || report === null || report.success === false)) failed = 1;
  if (gate === "passed") passed += 1;
  if (gate === "failed") failed += 1;
  return { passed, failed, skipped };
}

export function formatCounts({ passed, failed, skipped }) {
  // In a line of its own: the last one is read by machines, and has two numbers.
  return `${skipped > 0 ? `${skipped} skipped\n` : ""}${passed} passed, ${failed} failed`;
}
