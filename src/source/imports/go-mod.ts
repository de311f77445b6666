import type { Finding } from "../finding.ts";

export const goModFile = "go.mod";
export const goSumFile = "go.sum";

/** Thousands of lines: more is no file of people's or of Go's. */
const charactersLimit = 512 * 1024;

export interface GoRequire {
  readonly path: string;
  readonly version: string;
  readonly line: number;
}

export interface GoReplace {
  readonly path: string;
  /** Null: of every version. */
  readonly version: string | null;
  /** Another module's path, or a folder. */
  readonly to: string;
  /** Null: `to` is a folder. */
  readonly toVersion: string | null;
  readonly line: number;
}

/** What a go.mod says, as far as it decides what is built. `retract` and `toolchain` do not. */
export interface GoMod {
  /** Empty where it names no module. */
  readonly module: string;
  /** e.g. `1.22`; Go takes 1.16 where a file says none. */
  readonly go: { readonly version: string; readonly line: number };
  readonly requires: readonly GoRequire[];
  readonly replaces: readonly GoReplace[];
  readonly excludes: readonly GoRequire[];
  /** Folders, `./` in front or anywhere in the module. */
  readonly ignores: readonly string[];
  /** `key=value`: they change how a program runs. */
  readonly godebugs: readonly string[];
  readonly findings: readonly Finding[];
}

interface Line {
  readonly words: readonly string[];
  readonly line: number;
}

/** A go.mod by Go's own grammar: lines, blocks, comments, quoted words. What cannot be read is a finding with its line. */
export function readGoMod(text: string): GoMod {
  const requires: GoRequire[] = [];
  const replaces: GoReplace[] = [];
  const excludes: GoRequire[] = [];
  const ignores: string[] = [];
  const godebugs: string[] = [];
  const findings: Finding[] = [];
  let module = "";
  let go = { version: "1.16", line: 0 };
  const refuse = (line: number, message: string): void => {
    findings.push({ severity: "error", file: goModFile, line, message });
  };
  if (text.length > charactersLimit) refuse(0, `has more than ${charactersLimit} characters`);
  for (const { words, line } of directives(text.slice(0, charactersLimit), refuse)) {
    const [directive, first, second] = words;
    if (directive === "module" && first !== undefined && words.length === 2) module = first;
    else if (directive === "go" && first !== undefined && /^\d+\.\d+(\.\d+)?(rc\d+|beta\d+)?$/.test(first))
      go = { version: first, line };
    else if (directive === "require" && first !== undefined && second !== undefined && words.length === 3)
      requires.push({ path: first, version: second, line });
    else if (directive === "exclude" && first !== undefined && second !== undefined && words.length === 3)
      excludes.push({ path: first, version: second, line });
    else if (directive === "ignore" && first !== undefined && words.length === 2) ignores.push(first);
    else if (directive === "godebug" && first !== undefined && words.length === 2) godebugs.push(first);
    else if (directive === "replace") {
      const replace = readReplace(words.slice(1), line);
      if (replace === null) refuse(line, "a replace that cannot be read: say `replace a => b v1.2.3`");
      else replaces.push(replace);
    } else if (!["retract", "toolchain", "tool"].includes(directive ?? ""))
      refuse(line, `cannot be read: ${words.join(" ").slice(0, 200)}`);
  }
  if (module === "") refuse(0, "names no module");
  return { module, go, requires, replaces, excludes, ignores, godebugs, findings };
}

function readReplace(words: readonly string[], line: number): GoReplace | null {
  const arrow = words.indexOf("=>");
  const [path, version] = words.slice(0, arrow);
  const [to, toVersion] = words.slice(arrow + 1);
  if (arrow < 1 || arrow > 2 || words.length - arrow > 3 || path === undefined || to === undefined) return null;
  return { path, version: version ?? null, to, toVersion: toVersion ?? null, line };
}

/** One for each line, with the directive of its block in front. */
function directives(text: string, refuse: (line: number, message: string) => void): Line[] {
  const found: Line[] = [];
  let block: string | null = null;
  for (const [at, row] of text.split("\n").entries()) {
    const words = wordsOf(row);
    if (words === null) {
      refuse(at + 1, "a quoted word without an end");
      continue;
    }
    const [first, second] = words;
    if (first === undefined) continue;
    if (block === null && second === "(" && words.length === 2) block = first;
    else if (block !== null && first === ")") block = null;
    else found.push({ words: block === null ? words : [block, ...words], line: at + 1 });
  }
  return found;
}

/** Null: a quote is open. */
function wordsOf(row: string): string[] | null {
  const words: string[] = [];
  const token = /\s+|\/\/.*$|"((?:[^"\\]|\\.)*)"|`([^`]*)`|(\()|(\))|((?:(?!\/\/)[^\s"`()])+)/gy;
  while (token.lastIndex < row.length) {
    const found = token.exec(row);
    if (found === null) return null;
    const word = found[1] ?? found[2] ?? found[3] ?? found[4] ?? found[5];
    if (word !== undefined) words.push(word);
  }
  return words;
}

/** Is `path` this module or a package in it? */
export function isWithin(module: string, path: string): boolean {
  return path === module || path.startsWith(`${module}/`);
}

/** A folder, not a module: what Go itself takes for one. */
export function isFolder(target: string): boolean {
  return /^(\.{1,2}(\/|$)|\/|[A-Za-z]:)/.test(target);
}
