import { stripVTControlCharacters } from "node:util";

/** C0 and C1 controls, DEL, and what turns text around or hides in it: Unicode's format and line separators. */
const controls = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/**
 * Text from outside (a commit's subject, a report, an error) as one harmless line: what a terminal would act upon is
 * shown as `·`, white space as a blank, and it is cut at `limit` characters (case 52).
 */
export function plainLine(text: string, limit = 500): string {
  const line = text.toWellFormed().replace(/\s+/gu, " ").replace(controls, "·").trim();
  return line.length <= limit ? line : `${line.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** The lines of a log, each harmless; colours are taken out of it, and lines with nothing on them. */
export function plainLines(text: string, limit = 300): string[] {
  return stripVTControlCharacters(text)
    .split("\n")
    .map((line) => `${indentOf(line)}${plainLine(line, limit)}`.trimEnd())
    .filter((line) => line !== "");
}

/** Blanks as they are; a tab is four. */
function indentOf(line: string): string {
  return (/^[ \t]*/.exec(line.slice(0, 40))?.[0] ?? "").replaceAll("\t", "    ");
}
