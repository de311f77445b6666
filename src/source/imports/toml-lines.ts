/**
 * Where keys of a TOML text are written: the parser gives values without places. Only for texts that the parser took,
 * and only a place to show: a key inside an inline table has the line of the key that holds it.
 */
export function findTomlLines(text: string): (path: readonly string[]) => number {
  const lines = new Map<string, number>();
  let table: readonly string[] = [];
  let at = 0;
  let line = 1;
  while (at < text.length) {
    const start = skipBlank(text, at);
    line += countBreaks(text, at, start);
    at = start;
    if (at >= text.length) break;
    const header = text[at] === "[";
    if (header) at += text[at + 1] === "[" ? 2 : 1;
    const key = readKey(text, at);
    const path = header ? key.path : [...table, ...key.path];
    if (header) table = key.path;
    for (let length = 1; length <= path.length; length += 1) {
      const known = path.slice(0, length).join("\0");
      if (!lines.has(known)) lines.set(known, line);
    }
    const end = header ? endOfLine(text, key.end) : skipValue(text, key.end);
    line += countBreaks(text, at, end);
    at = end;
  }
  return (path) => {
    for (let length = path.length; length > 0; length -= 1) {
      const found = lines.get(path.slice(0, length).join("\0"));
      if (found !== undefined) return found;
    }
    return 0;
  };
}

function skipBlank(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    if (text[at] === "#") at = endOfLine(text, at);
    else if (/\s/.test(text[at] ?? "")) at += 1;
    else break;
  }
  return at;
}

function readKey(text: string, from: number): { readonly path: string[]; readonly end: number } {
  const path: string[] = [];
  const part = /[ \t]*(?:"((?:\\.|[^"\\\n])*)"|'([^'\n]*)'|([A-Za-z0-9_-]+))[ \t]*(\.?)/y;
  let at = from;
  for (;;) {
    part.lastIndex = at;
    const found = part.exec(text);
    if (found === null) return { path, end: Math.max(at, from + 1) };
    path.push(found[1] ?? found[2] ?? found[3] ?? "");
    at = part.lastIndex;
    if (found[4] === "") return { path, end: at };
  }
}

/** From behind a key to behind its value: strings of four kinds, lists and inline tables over several lines. */
function skipValue(text: string, from: number): number {
  const token = /"""(?:\\[^]|[^\\])*?"{3,5}|'''[^]*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|#[^\n]*|[[\]{}\n]/g;
  token.lastIndex = from;
  let depth = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    if (found[0] === "[" || found[0] === "{") depth += 1;
    else if (found[0] === "]" || found[0] === "}") depth -= 1;
    else if (found[0] === "\n" && depth <= 0) return token.lastIndex;
  }
  return text.length;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}

function countBreaks(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at !== -1 && at < to; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
