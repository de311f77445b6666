import type { Leftover } from "../../decide/plan-leftovers.ts";
import { describeBytes, shortDigest } from "./artifact-text.ts";
import { alignColumns } from "./columns.ts";
import { plainLine } from "./plain.ts";

export interface CollectionRow {
  readonly module: string;
  readonly digest: string;
  readonly bytes: number;
  readonly why?: string;
}

/** Of a line that says nothing about it. */
export const defaultGraceHours = 24;

export interface CollectionDocument {
  /** What was built later than so many hours ago stays. */
  readonly graceHours: number;
  readonly collect: readonly CollectionRow[];
  readonly keep: readonly CollectionRow[];
  /** What builds left behind: what goes or went, and how much stays. */
  readonly leftovers: {
    readonly remove: readonly {
      readonly kind: Leftover["kind"];
      readonly name: string;
      readonly bytes: number;
      readonly why: string;
    }[];
    readonly keep: readonly { readonly kind: Leftover["kind"]; readonly count: number; readonly bytes: number }[];
  };
  /** Null: nothing was changed. */
  readonly done: {
    readonly blobs: number;
    readonly bytes: number;
    readonly revived: readonly { readonly module: string; readonly digest: string }[];
  } | null;
}

export function collectionText(document: CollectionDocument): string {
  const { graceHours, collect, keep, leftovers, done } = document;
  // With another grace than was looked at, it would delete what was not shown.
  const grace = graceHours === defaultGraceHours ? "" : ` --grace ${graceHours}`;
  const total = collect.reduce((sum, row) => sum + row.bytes, 0);
  const head = done === null ? "would be deleted" : "deleted";
  const noun = collect.length === 1 ? "artifact" : "artifacts";
  return [
    ...(keep.length === 0 ? [] : ["stays", alignColumns(keep.map(cells), "  ")]),
    ...(collect.length === 0 ? [] : [head, alignColumns(collect.map(cells), "  ")]),
    `${collect.length} ${noun} ${head}, ${describeBytes(done?.bytes ?? total)}; ${keep.length} stay`,
    ...(done?.revived ?? []).map(
      (one) => `  ${one.module} ${shortDigest(one.digest)} was built again meanwhile: it stays`,
    ),
    ...leftoverLines(leftovers, head),
    ...(done === null && collect.length + leftovers.remove.length > 0
      ? [`  next: mesh artifact gc --delete${grace}`]
      : []),
  ].join("\n");
}

const nouns: Readonly<Record<Leftover["kind"], string>> = {
  log: "logs",
  unnamed: "blobs that nothing names",
  package: "third-party packages",
  clone: "clones",
  work: "work folders",
};
const shownLeftovers = 30;

function leftoverLines({ remove, keep }: CollectionDocument["leftovers"], head: string): string[] {
  const shown = remove
    .slice(0, shownLeftovers)
    .map(({ kind, name, bytes, why }) => [kind, plainLine(name, 120), describeBytes(bytes), plainLine(why, 160)]);
  const total = remove.reduce((sum, one) => sum + one.bytes, 0);
  const stay = keep.map(({ kind, count, bytes }) => `${count} ${nouns[kind]} (${describeBytes(bytes)})`);
  return [
    ...(remove.length === 0 ? [] : [`left behind by builds, ${head}`, alignColumns(shown, "  ")]),
    ...(remove.length > shownLeftovers ? [`  and ${remove.length - shownLeftovers} more`] : []),
    `${remove.length} things that builds left behind ${head}, ${describeBytes(total)}; ${stay.length === 0 ? "nothing else is there" : `${stay.join(", ")} stay`}`,
  ];
}

function cells({ module, digest, bytes, why }: CollectionRow): string[] {
  return [module, shortDigest(digest), describeBytes(bytes), plainLine(why ?? "", 160)];
}
