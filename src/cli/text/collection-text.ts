import { describeBytes, shortDigest } from "./artifact-text.ts";
import { alignColumns } from "./columns.ts";
import { plainLine } from "./plain.ts";

export interface CollectionRow {
  readonly module: string;
  readonly digest: string;
  readonly bytes: number;
  readonly why?: string;
}

export interface CollectionDocument {
  readonly collect: readonly CollectionRow[];
  readonly keep: readonly CollectionRow[];
  /** Null: nothing was changed. */
  readonly done: {
    readonly blobs: number;
    readonly bytes: number;
    readonly revived: readonly { readonly module: string; readonly digest: string }[];
  } | null;
}

export function collectionText({ collect, keep, done }: CollectionDocument): string {
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
    ...(done === null && collect.length > 0 ? ["  next: mesh artifact gc --delete"] : []),
  ].join("\n");
}

function cells({ module, digest, bytes, why }: CollectionRow): string[] {
  return [module, shortDigest(digest), describeBytes(bytes), plainLine(why ?? "", 160)];
}
