import { trimBlanks } from "./trim-blanks.ts";

/**
 * Go source without comments, line for line: what others compile against does not move when only words about it do (R10).
 * Directives stay (`//go:…`, `//line`, `//export`, build constraints), and files with C in them stay as they are.
 */
export function stripGoComments(text: string): string {
  if (/^[^\n/]*"C"\s*$/m.test(text)) return text;
  // Each ends where its text does: what matches from every place on is never looked at twice.
  const tokens = /"(?:\\.|[^"\\\n])*"?|`[^`]*`?|'(?:\\.|[^'\\\n])*'?|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/g;
  let kept = "";
  let at = 0;
  for (const { index, 0: token } of text.matchAll(tokens)) {
    const before = text.slice(at, index);
    const left = keepOf(token);
    kept += left === "" ? trimBlanks(before) : `${before}${left}`;
    at = index + token.length;
  }
  return `${kept}${text.slice(at)}`;
}

function keepOf(token: string): string {
  if (token.startsWith("//")) return /^\/\/(go:|line |export |extern | ?\+build)/.test(token) ? token : "";
  if (!token.startsWith("/*") || token.startsWith("/*line ")) return token;
  const lines = token.split("\n").length - 1;
  // A comment with line ends in it is a line end to the compiler, one without is a space.
  return lines === 0 ? " " : "\n".repeat(lines);
}
