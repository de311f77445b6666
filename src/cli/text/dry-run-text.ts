import type { Name, ObjectId } from "../../core/names.ts";
import { describeDuration } from "./ages.ts";
import { alignColumns } from "./columns.ts";
import { plainLine } from "./plain.ts";

/** What `mesh build --dry-run` found. `mayRebuild` is the most that may be: early cutoff makes it less (R10). */
export interface DryRunDocument {
  readonly dryRun: true;
  /** In build order. */
  readonly mayRebuild: readonly { readonly module: Name; readonly why: string }[];
  readonly failing: readonly { readonly module: Name; readonly kind: "broken" | "unfit"; readonly why: string }[];
  /** Their sources do not answer, or what they import lies in one that does not. */
  readonly cannotTell: readonly { readonly module: Name; readonly why: string }[];
  /** Not built now: nobody could judge it, and it is tried again at `retryAt` (ISO), or something it waits for is. */
  readonly later: readonly { readonly module: Name; readonly why: string; readonly retryAt: string | null }[];
  readonly modules: number;
  readonly sources: readonly {
    readonly repository: Name;
    readonly branch: string;
    readonly commit: ObjectId | null;
    /** Why it was not seen; null: it was. */
    readonly failure: string | null;
  }[];
  /** Modules that were read, and files that were parsed or known: the rest is as it was recorded. */
  readonly readModules: number;
  readonly parsedFiles: number;
  readonly cachedFiles: number;
}

export function dryRunText(document: DryRunDocument, now: Date): string {
  const { mayRebuild, failing, cannotTell, later, modules, sources } = document;
  const away = sources.filter(({ failure }) => failure !== null);
  const rows = (list: readonly { readonly module: Name; readonly why: string }[]): string =>
    alignColumns(
      list.map(({ module, why }) => [module, plainLine(why, 400)]),
      "  ",
    );
  return [
    mayRebuild.length === 0
      ? sayNothing(document)
      : `${mayRebuild.length} of ${modules} modules may be rebuilt, in this order; fewer where an output stays what it was`,
    ...(mayRebuild.length === 0 ? [] : [rows(mayRebuild)]),
    ...(failing.length === 0 ? [] : ["cannot be built as they are", rows(failing)]),
    ...(cannotTell.length === 0 ? [] : ["cannot tell", rows(cannotTell)]),
    ...(later.length === 0 ? [] : ["not built now", rows(later.map((row) => ({ ...row, why: sayLater(row, now) })))]),
    `  looked at ${count(sources.length - away.length, "branch", "branches")}${away.length === 0 ? "" : `, ${away.length} did not answer (${away.map(({ repository, branch }) => `${repository} ${branch}`).join(", ")})`}, read ${count(document.readModules, "module", "modules")}, parsed ${count(document.parsedFiles, "file", "files")}; nothing was changed`,
    `  next: ${mayRebuild.length > 0 ? "mesh build --wait" : away.length > 0 ? "mesh repo list" : "mesh status"}`,
  ].join("\n");
}

function sayNothing({ failing, cannotTell, later, modules }: DryRunDocument): string {
  return failing.length + later.length + cannotTell.length > 0
    ? `nothing ${cannotTell.length > 0 ? "of what can be told " : ""}would be built now`
    : `nothing would be built: what is built of ${count(modules, "module", "modules")} is what ${modules === 1 ? "its source is" : "their sources are"} now`;
}

function sayLater({ why, retryAt }: DryRunDocument["later"][number], now: Date): string {
  if (retryAt === null) return why;
  return `${why}; tried again in ${describeDuration(Date.parse(retryAt) - now.getTime())}`;
}

function count(many: number, one: string, more: string): string {
  return `${many} ${many === 1 ? one : more}`;
}
