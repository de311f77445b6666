import { posix } from "node:path";
import type { Node } from "web-tree-sitter";
import { parseWithin } from "../../source/imports/parse-within.ts";
import { createRustParser } from "../../source/imports/load-rust-grammar.ts";
import { isInside, itemsOf, judgeAttribute, merge, type Range } from "../../source/imports/rust-syntax.ts";
import { trimBlanks } from "./trim-blanks.ts";

export interface StrippedSource {
  readonly text: string;
  /** Files and folders (relative to the crate) where modules that only tests have may lie. */
  readonly testPaths: readonly string[];
  /** The same of all other modules: what both name stays. */
  readonly livePaths: readonly string[];
  /** Where what its strings name may lie, from its own folder and from the crate's: `include_str!`, `#[path]`, `read(…)`. */
  readonly names: readonly string[];
}

/**
 * Takes out what no compiled crate has: comments that are no documentation, and items under `#[cfg(test)]`. Every line
 * and column of what is left stays where it was. A file that the grammar cannot read, or not within the reader's limits, is left as it is.
 */
export async function stripRustSources(files: ReadonlyMap<string, string>): Promise<Map<string, StrippedSource>> {
  const parser = await createRustParser();
  const stripped = new Map<string, StrippedSource>();
  try {
    for (const [path, text] of files) {
      // Also what the reader of imports did not bound is read here: what a string names need be no code.
      const parsing = parseWithin(parser, text);
      if (parsing.kind === "refused") {
        stripped.set(path, leave(path, text));
        continue;
      }
      const { tree } = parsing;
      stripped.set(path, tree.rootNode.hasError ? leave(path, text) : strip(path, text, tree.rootNode));
      tree.delete();
    }
  } finally {
    parser.delete();
  }
  return stripped;
}

function leave(path: string, text: string): StrippedSource {
  return { text, testPaths: [], livePaths: [], names: findNames(path, text.match(/"[^"\n]*"/g) ?? []) };
}

function strip(path: string, text: string, root: Node): StrippedSource {
  const cuts: Range[] = [];
  const tests: Range[] = [];
  for (const comment of root.descendantsOfType(["line_comment", "block_comment"])) {
    // Documentation is an attribute: macros read it.
    if (comment.childForFieldName("doc") !== null || /^(\/\/[/!]|\/\*[*!])/.test(comment.text)) continue;
    cuts.push({ from: comment.startIndex, to: comment.endIndex });
  }
  const done = new Set<number>();
  for (const [attribute, item] of itemsOf(root.descendantsOfType("attribute_item"))) {
    if (item === null || !removable.has(item.type) || done.has(item.id)) continue;
    if (judgeAttribute(attribute.text) !== "test") continue;
    // The first of them takes all that stands before the item.
    done.add(item.id);
    tests.push({ from: firstOfItem(attribute).startIndex, to: item.endIndex });
  }
  const merged = merge(tests);
  const strings = root.descendantsOfType(["string_literal", "raw_string_literal"]);
  return {
    text: cutOut(text, [...cuts, ...tests]),
    ...findModuleFiles(path, root, merged),
    names: findNames(
      path,
      strings.flatMap((node) => (isInside(merged, node) ? [] : [node.text])),
    ),
  };
}

/** `literals`: as they are written. Which macro reads one, and from where, is not known here: too much stays, not too little. */
function findNames(path: string, literals: readonly string[]): string[] {
  const names = new Set<string>();
  for (const literal of literals) {
    const text = /^[bcr]*#*"([^"\\\n]{1,500})"#*$/.exec(literal)?.[1];
    if (text === undefined) continue;
    names.add(toPlace(posix.join(posix.dirname(path), text)));
    names.add(toPlace(text.replace(/^\$\{?CARGO_MANIFEST_DIR\}?/, "").replace(/^[./]*\//, "")));
  }
  return [...names];
}

/** Without a slash at the end, which folders may have. */
function toPlace(path: string): string {
  return posix.normalize(path).replace(/(?<=.)\/$/, "");
}

function findModuleFiles(
  path: string,
  root: Node,
  merged: readonly Range[],
): Pick<StrippedSource, "testPaths" | "livePaths"> {
  const testPaths: string[] = [];
  const livePaths: string[] = [];
  for (const item of root.descendantsOfType("mod_item")) {
    if (item.childForFieldName("body") !== null) continue;
    const isTest = isInside(merged, item);
    const own = findPath(item);
    // A path of its own may begin in several places: too much stays rather than too little.
    if (own !== null && !isTest) livePaths.push(posix.join(posix.dirname(path), own));
    if (own === null) (isTest ? testPaths : livePaths).push(...filesOfModule(path, item, isTest));
  }
  return { testPaths, livePaths };
}

const removable = new Set(
  "mod_item function_item use_declaration impl_item struct_item enum_item const_item static_item trait_item".split(" "),
);

/** All attributes and documentation of an item go with it, also what stands before this attribute. */
function firstOfItem(attribute: Node): Node {
  let first = attribute;
  for (let before = attribute.previousNamedSibling; before !== null; before = before.previousNamedSibling) {
    const isAbout = before.type === "attribute_item" || /^(\/\/\/|\/\*\*)/.test(before.text);
    if (!isAbout && (!before.type.endsWith("_comment") || /^\/[/*]!/.test(before.text))) break;
    first = before;
  }
  return first;
}

/** `#[path = "…"]` of an item; empty where it cannot be read; null: there is none. */
function findPath(item: Node): string | null {
  for (let node = item.previousNamedSibling; node !== null; node = node.previousNamedSibling) {
    if (node.type !== "attribute_item" && !node.type.endsWith("_comment")) return null;
    const found = /^#\s*\[\s*path\b(?:\s*=\s*"([^"\\]*)")?/.exec(node.text);
    if (found !== null) return found[1] ?? "";
  }
  return null;
}

/** Where `mod name;` of a file lies: below the modules it stands in. A program of a crate has its modules beside it. */
function filesOfModule(path: string, item: Node, isTest: boolean): string[] {
  const names: string[] = [];
  for (let node: Node | null = item; node !== null; node = node.parent)
    if (node.type === "mod_item") names.unshift((node.childForFieldName("name")?.text ?? "").replace(/^r#/, ""));
  if (!names.every((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name))) return [];
  const base = posix.basename(path);
  const isRoot = base === "lib.rs" || base === "main.rs" || base === "mod.rs";
  const [beside, below] = [posix.dirname(path), path.replace(/\.rs$/, "")];
  const folders = isRoot ? [beside] : isTest ? [below] : [below, beside];
  return folders.flatMap((folder) => [posix.join(folder, ...names) + ".rs", posix.join(folder, ...names)]);
}

/** Lines stay; what stood to the right of a cut keeps its column; what is blank to the end of its line goes. */
function cutOut(text: string, cuts: readonly Range[]): string {
  // In pieces: a text that grows would be copied at each look at its end.
  const kept: string[] = [];
  let at = 0;
  for (const cut of cuts.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    // The grammar counts a carriage return to the comment before it.
    const to = text[cut.to - 1] === "\r" ? cut.to - 1 : cut.to;
    if (to <= at) continue;
    const from = Math.max(at, cut.from);
    kept.push(text.slice(at, from));
    const blank = blankOut(text.slice(from, to));
    // Blanks before a cut are never part of a string: the cut begins where a token begins.
    if (blank.includes("\n")) dropBlanks(kept);
    kept.push(blank);
    at = to;
    const rest = /[ \t]*(?=\r?\n|$)/y;
    rest.lastIndex = at;
    if (!rest.test(text)) continue;
    at = rest.lastIndex;
    dropBlanks(kept);
  }
  // What is cut at the end leaves nothing: tests mostly stand there.
  return `${(kept.join("") + text.slice(at)).trimEnd()}\n`;
}

/** Its line ends, and as many blanks as the last of its lines is long: what follows keeps its column. */
function blankOut(cut: string): string {
  const lines = cut.split("\n").map((line) => line.replaceAll(/[^\r]/g, " "));
  const last = lines.pop() ?? "";
  return [
    ...lines.map((line) => (line.endsWith("\r") ? `${trimBlanks(line.slice(0, -1))}\r` : trimBlanks(line))),
    last,
  ].join("\n");
}

/** Takes the blanks off the end of a text in pieces. */
function dropBlanks(pieces: string[]): void {
  for (let last = pieces.pop(); last !== undefined; last = pieces.pop()) {
    const bare = trimBlanks(last);
    if (bare === "") continue;
    pieces.push(bare);
    return;
  }
}
