import type { DryRunDocument } from "../../activities/dry-run-document.ts";
import type { Name } from "../../core/names.ts";
import { describeDuration } from "../../core/durations.ts";
import { alignColumns } from "./columns.ts";
import { plainLine } from "./plain.ts";

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
