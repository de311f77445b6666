import { plainLine } from "./plain.ts";

/** One word of a POSIX shell; what would break a line or act on a terminal is written as its code (`$'…'` of bash). */
export function quoteWord(word: string): string {
  if (/^[A-Za-z0-9@%+=:,./_-]+$/.test(word)) return word;
  if (plainLine(word, Infinity) === word) return `'${word.replaceAll("'", String.raw`'\''`)}'`;
  const coded = [...word.toWellFormed()].map((one) => {
    if (one === "'" || one === "\\") return `\\${one}`;
    if (/^[ -~]$/.test(one)) return one;
    return `\\U${(one.codePointAt(0) ?? 0).toString(16).padStart(8, "0")}`;
  });
  return `$'${coded.join("")}'`;
}
