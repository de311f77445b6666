import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files that take longest, the longest first: one that begins when the others end leaves all cores but its own idle. Of each, as
 * a run on two cores said it.
 */
export const longest: readonly string[] = [
  "test/simulation/mutants/mutants.test.ts",
  "test/build/go.test.ts",
  "test/build/go-outside.test.ts",
  "test/faults/faults.bed.test.ts",
  "test/beds/four-languages.bed.test.ts",
  "test/beds/kill.bed.test.ts",
  "test/flows/recovery-drill.flow.test.ts",
  "test/beds/built-store-cross-node.bed.test.ts",
  "test/beds/built-store-cross-node-postgresql.bed.test.ts",
  "test/beds/resume.bed.test.ts",
  "test/flows/outstanding-heals.flow.test.ts",
];

export interface Placed {
  readonly project: string;
  readonly file: string;
}

/**
 * Those first, then one project after the other: a process goes on with the next file only where that is of the same project.
 * What is equal stays as it was.
 */
export function orderFiles<T>(files: readonly T[], placeOf: (file: T) => Placed): T[] {
  const projects = [...new Set(files.map((file) => placeOf(file).project))];
  const rankOf = (file: T): number => {
    const at = longest.findIndex((name) => placeOf(file).file.endsWith(`/${name}`));
    return at === -1 ? longest.length : at;
  };
  const groupOf = (file: T): number => projects.indexOf(placeOf(file).project);
  return files.toSorted((a, b) => rankOf(a) - rankOf(b) || groupOf(a) - groupOf(b));
}

/** vitest's sequencer: its own order (what failed, what was slow, what is large), within ours. */
export class RunOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- vitest's own method, not an array's.
    const sorted = await super.sort(files);
    return orderFiles(sorted, ({ project, moduleId }) => ({ project: project.name, file: moduleId }));
  }
}
