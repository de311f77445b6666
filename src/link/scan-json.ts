/** One open object (its keys so far, and whether a key comes next) or one open list (null). */
type Frame = { readonly keys: Set<string>; expectsKey: boolean } | null;

const numberPattern = /-?[0-9][0-9.eE+-]*/y;
const integerPattern = /^-?(0|[1-9][0-9]*)$/;

/**
 * What is wrong with a JSON text beyond its grammar; null: nothing. Grammar is left to `JSON.parse`, which is
 * called after this and only then: its own recursion is bounded by what was found here.
 * Throws SyntaxError where a string cannot be read.
 */
export function scanJson(text: string, depthLimit: number): string | null {
  const open: Frame[] = [];
  let at = 0;
  while (at < text.length) {
    const character = text[at];
    const frame = open.at(-1);
    if (character === '"') {
      const end = endOfString(text, at);
      const finding = checkString(text.slice(at, end), frame ?? null);
      if (finding !== null) return finding;
      at = end;
      continue;
    }
    if (character === "-" || (character !== undefined && character >= "0" && character <= "9")) {
      const number = readNumber(text, at);
      if (number === null || !isSafeInteger(number)) return "a number is not a safe integer";
      at += number.length;
      continue;
    }
    if (character === "{") open.push({ keys: new Set(), expectsKey: true });
    else if (character === "[") open.push(null);
    else if (character === "}" || character === "]") open.pop();
    else if (character === "," && frame) frame.expectsKey = true;
    if (open.length > depthLimit) return `nested deeper than ${depthLimit}`;
    at += 1;
  }
  return null;
}

/** Index after the closing quote. A quote is escaped when an odd number of backslashes stands before it. */
function endOfString(text: string, start: number): number {
  let quote = start;
  for (;;) {
    quote = text.indexOf('"', quote + 1);
    if (quote === -1) throw new SyntaxError("a string without an end");
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
  }
}

function checkString(token: string, frame: Frame): string | null {
  const value: unknown = token.includes("\\") ? JSON.parse(token) : token.slice(1, -1);
  if (typeof value !== "string") throw new SyntaxError("not a string");
  if (!value.isWellFormed()) return "a string holds half of a surrogate pair";
  if (frame === null || !frame.expectsKey) return null;
  frame.expectsKey = false;
  if (value === "__proto__") return "a key is __proto__";
  if (frame.keys.has(value)) return "a key is there twice";
  frame.keys.add(value);
  return null;
}

function readNumber(text: string, at: number): string | null {
  numberPattern.lastIndex = at;
  return numberPattern.exec(text)?.[0] ?? null;
}

function isSafeInteger(token: string): boolean {
  return integerPattern.test(token) && Number.isSafeInteger(Number(token)) && !Object.is(Number(token), -0);
}
