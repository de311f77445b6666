import type { ImportKind } from "./import-reader.ts";
import { mayBeRecorded, type RecordedImport } from "./typescript-record.ts";

/**
 * What an import needs: the first of these words, or `from` before a string (or before a comment, which may stand between
 * them). Other ways to import need words that keep a file from here (`mayBeRecorded`).
 */
const importing = /\bimport\b|\bfrom\s*["'/]/;

/** Without one of these neither `importing` nor `mayBeRecorded` finds anything: one look for all, and most files have none. */
const anyWord = /require|createRequire|module|resolve|URL|reference|jsxImportSource|import|from|\\u/g;

/** A byte that is no text: what is written in another encoding has its words where nobody looks for them. */
const notText = ["\0", "\uFFFD"];

const blank = /[\s;]+/y;
const lineComment = /(?:\/\/|#!)[^\n\r\u2028\u2029]*/y;
const token = /\s*(?:([A-Za-z_$][\w$]*)|([{},*])|"([^"\\\n\r\u2028\u2029]*)"|'([^'\\\n\r\u2028\u2029]*)')/y;
/** A string that nothing more is said of: behind it attributes may follow. */
const endOfString = /[ \t]*(?=[;\n\r]|\/\/|$)/y;

/** As names these are allowed, and the parser knows where. */
const clauseWords = new Set(["type", "as", "from", "defer", "source"]);

/**
 * The imports of a file that says all of them before anything else, as most do: read without a parser, which takes hundreds of times
 * as long. Null: it may import in another way, and the parser is asked. Statements at the begin of a file can be told from
 * anything else, and what comes behind them must not have a word that imports, wherever it stands: so no import is missed,
 * also where the rest is no valid code (the compiler says so).
 *
 * @param types whether the dialect has imports of types
 */
export function readHeader(text: string, types: boolean): readonly RecordedImport[] | null {
  if (notText.some((byte) => text.includes(byte))) return null;
  const scan: Scan = { text, types, at: 0 };
  const found: RecordedImport[] = [];
  for (;;) {
    if (!skipBetween(scan)) return null;
    const offset = scan.at;
    const statement = readStatement(scan, types);
    if (statement === null) return null;
    if (statement === "other") return saysMore(text, offset) ? null : found;
    if (statement !== "directive") found.push({ ...statement, offset });
  }
}

/** Up to there nothing was but statements that were read, and comments. */
function saysMore(text: string, offset: number): boolean {
  anyWord.lastIndex = offset;
  const isInRest = anyWord.test(text);
  if (isInRest && importing.test(text.slice(offset))) return true;
  return !mayBeRecorded(isInRest ? text : text.slice(0, offset));
}

type Statement = Pick<RecordedImport, "specifier" | "kind">;

function readStatement(scan: Scan, types: boolean): Statement | "directive" | "other" | null {
  const first = readToken(scan);
  if (first.string !== null) return endsString(scan) ? "directive" : "other";
  // The attributes of the statement before.
  if (first.text === "with") return null;
  if (first.text === "import") return readClause(scan, types);
  return first.text === "export" ? readReexport(scan, types) : "other";
}

function readClause(scan: Scan, types: boolean): Statement | null {
  let next = readToken(scan);
  if (next.string !== null) return endStatement(scan, next.string, "side-effect");
  const typed = types && next.text === "type";
  if (typed) next = readToken(scan);
  let kind: ImportKind | null = null;
  if (isName(next)) {
    kind = typed ? "type" : "static";
    next = readToken(scan);
    if (next.text === ",") {
      if (typed) return null;
      next = readToken(scan);
      if (next.text !== "{" && next.text !== "*") return null;
    }
  }
  if (next.text === "*") {
    if (readToken(scan).text !== "as" || !isName(readToken(scan))) return null;
    kind = typed ? "type" : "static";
    next = readToken(scan);
  } else if (next.text === "{") {
    const names = readNames(scan, types && !typed);
    if (names === null) return null;
    // A default import beside types is one of a value.
    kind = typed ? "type" : (kind ?? names);
    next = readToken(scan);
  }
  return kind === null ? null : readFrom(scan, next, kind);
}

/** Null where it may export in another way; `other`: it exports what is here. */
function readReexport(scan: Scan, types: boolean): Statement | "other" | null {
  let next = readToken(scan);
  const typed = types && next.text === "type";
  if (typed) next = readToken(scan);
  if (next.text === "*") {
    next = readToken(scan);
    if (next.text === "as") {
      if (!isName(readToken(scan))) return null;
      next = readToken(scan);
    }
    return readFrom(scan, next, typed ? "type" : "reexport");
  }
  if (next.text !== "{") return "other";
  const names = readNames(scan, types && !typed);
  next = readToken(scan);
  // Where no `from` follows, the rest is looked through for one like everything else.
  if (names === null || next.text !== "from") return "other";
  return readFrom(scan, next, typed || names === "type" ? "type" : "reexport");
}

/** What stands in braces: nothing but types, or something else too. Null: it is not as simple as that. */
function readNames(scan: Scan, types: boolean): "type" | "static" | null {
  let kind: "type" | "static" = "type";
  for (let count = 0; ; count += 1) {
    let next = readToken(scan);
    // Of none of them the parser says what it is.
    if (next.text === "}") return count === 0 ? null : kind;
    if (types && next.text === "type") next = readToken(scan);
    else kind = "static";
    if (!isName(next)) return null;
    next = readToken(scan);
    if (next.text === "as") {
      if (!isName(readToken(scan))) return null;
      next = readToken(scan);
    }
    if (next.text === "}") return kind;
    if (next.text !== ",") return null;
  }
}

function readFrom(scan: Scan, from: Token, kind: ImportKind): Statement | null {
  if (from.text !== "from") return null;
  return endStatement(scan, readToken(scan).string, kind);
}

function endStatement(scan: Scan, specifier: string | null, kind: ImportKind): Statement | null {
  return specifier !== null && endsString(scan) ? { specifier, kind } : null;
}

function isName({ text }: Token): boolean {
  return /^[\w$]/.test(text) && !clauseWords.has(text);
}

interface Token {
  /** A word or a mark; empty for everything else. */
  readonly text: string;
  readonly string: string | null;
}

/** Where the reading is. */
interface Scan {
  readonly text: string;
  readonly types: boolean;
  at: number;
}

function take(scan: Scan, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = scan.at;
  const match = pattern.exec(scan.text);
  if (match !== null) scan.at = pattern.lastIndex;
  return match;
}

/** Past blanks, comments, and semicolons. False: a comment has no end, or says an import. */
function skipBetween(scan: Scan): boolean {
  while (skipOne(scan));
  return !scan.text.startsWith("/*", scan.at);
}

function skipOne(scan: Scan): boolean {
  const { text, at, types } = scan;
  if (!text.startsWith("/*", at))
    return take(scan, blank) !== null || ((at === 0 || text[at] === "/") && take(scan, lineComment) !== null);
  const end = text.indexOf("*/", at + 2);
  // In JavaScript comments say types.
  if (end === -1 || (!types && text.slice(at, end).includes("import"))) return false;
  scan.at = end + 2;
  return true;
}

/** Of what a clause is made of; a comment in one is something else. */
function readToken(scan: Scan): Token {
  const [, word, mark, double, single] = take(scan, token) ?? [];
  return { text: word ?? mark ?? "", string: double ?? single ?? null };
}

/** Whether the string that was read last ends its statement. */
function endsString(scan: Scan): boolean {
  return take(scan, endOfString) !== null;
}
