import type { Comment } from "oxc-parser";

export interface JsdocImport {
  readonly specifier: string;
  readonly offset: number;
}

/**
 * Types that JavaScript says in its comments: by a call of import in the braces of a tag, and by the tag `@import`. The
 * compiler reads them in .js files and in no others, and writes them into the declarations that dependents are compiled against, checked or not.
 */
export function listJsdocImports(comments: readonly Comment[]): JsdocImport[] {
  const found: JsdocImport[] = [];
  for (const { type, value, start } of comments) {
    if (type !== "Block" || !value.startsWith("*") || !value.includes("import")) continue;
    // Behind the two characters that begin a comment.
    const add = (specifier: string | undefined, at: number): void => {
      if (specifier !== undefined) found.push({ specifier, offset: start + 2 + at });
    };
    for (const tag of value.matchAll(/@\w+[ \t]*\{/g)) {
      const from = tag.index + tag[0].length;
      const braces = value.slice(from, endOfBraces(value, from));
      for (const one of braces.matchAll(/\bimport\s*\(\s*(["'])([^"'\n]+)\1/g)) add(one[2], from + one.index);
    }
    for (const tag of value.matchAll(/@import\s+[^"'@]*?\bfrom\s+(["'])([^"'\n]+)\1/g)) add(tag[2], tag.index);
  }
  return found.toSorted((a, b) => a.offset - b.offset);
}

function endOfBraces(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "{") depth += 1;
    if (text[at] === "}") depth -= 1;
    if (depth === 0) return at;
  }
  return text.length;
}
