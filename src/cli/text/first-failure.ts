import { readFailedTestLine } from "../../build/builders/failed-test-line.ts";

const linesShown = 24;

/**
 * Of the lines of a log that has TAP in it (TypeScript's tests print it): the first test that failed, with what it says of
 * that. Its end are totals only. A group is not meant, where a test inside of it failed. Null: there is none.
 */
export function findFirstFailure(log: readonly string[]): string[] | null {
  for (const [at, line] of log.entries()) {
    const indent = readFailedTestLine(line)?.indent;
    if (indent === undefined || log[at + 1] !== `${indent}  ---`) continue;
    const end = log.indexOf(`${indent}  ...`, at);
    const block = log.slice(at, end === -1 ? undefined : end).filter((one) => one !== `${indent}  ---`);
    if (block.includes(`${indent}  failureType: 'subtestsFailed'`)) continue;
    const told = block.filter((one) => !/^ *duration_ms: /.test(one)).map((one) => one.slice(indent.length));
    return told.length <= linesShown
      ? told
      : [...told.slice(0, linesShown), `… and ${told.length - linesShown} more lines`];
  }
  return null;
}
