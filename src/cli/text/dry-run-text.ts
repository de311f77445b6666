import type { Name, ObjectId } from "../../core/names.ts";
import { alignColumns } from "./columns.ts";
import { plainLine } from "./plain.ts";

/** What `mesh build --dry-run` found. `mayRebuild` is the most that may be: early cutoff makes it less (R10). */
export interface DryRunDocument {
  readonly dryRun: true;
  /** In build order. */
  readonly mayRebuild: readonly { readonly module: Name; readonly why: string }[];
  readonly failing: readonly { readonly module: Name; readonly kind: "broken" | "unfit"; readonly why: string }[];
  readonly modules: number;
  readonly sources: readonly {
    readonly repository: Name;
    readonly branch: string;
    readonly commit: ObjectId | null;
  }[];
  /** Modules that were read, and files that were parsed or known: the rest is as it was recorded. */
  readonly readModules: number;
  readonly parsedFiles: number;
  readonly cachedFiles: number;
}

export function dryRunText(document: DryRunDocument): string {
  const { mayRebuild, failing, modules } = document;
  const rows = (list: readonly { readonly module: Name; readonly why: string }[]): string =>
    alignColumns(
      list.map(({ module, why }) => [module, plainLine(why, 400)]),
      "  ",
    );
  return [
    mayRebuild.length === 0
      ? `nothing would be built: what is built of ${modules} modules is what their sources are now`
      : `${mayRebuild.length} of ${modules} modules may be rebuilt, in this order; fewer where an output stays what it was`,
    ...(mayRebuild.length === 0 ? [] : [rows(mayRebuild)]),
    ...(failing.length === 0 ? [] : ["cannot be built as they are", rows(failing)]),
    `  looked at ${document.sources.length} branches, read ${document.readModules} modules, parsed ${document.parsedFiles} files; nothing was changed`,
    `  next: ${mayRebuild.length === 0 ? "mesh status" : "mesh build --wait"}`,
  ].join("\n");
}
