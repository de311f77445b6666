import { posix } from "node:path";
import type { Node } from "web-tree-sitter";
import { createRustParser } from "../../source/imports/load-rust-grammar.ts";
import { itemOf, judgeAttribute } from "../../source/imports/rust-syntax.ts";

export interface StrippedSource {
  readonly text: string;
  /** Files and folders (relative to the crate) that only tests are made of. */
  readonly testPaths: readonly string[];
}

/**
 * Takes out what no compiled crate has: comments that are no documentation, and items under `#[cfg(test)]`. Every line
 * and column of what is left stays where it was. A file that the grammar cannot read is left as it is.
 */
export async function stripRustSources(files: ReadonlyMap<string, string>): Promise<Map<string, StrippedSource>> {
  const parser = await createRustParser();
  const stripped = new Map<string, StrippedSource>();
  try {
    for (const [path, text] of files) {
      const tree = parser.parse(text);
      if (tree === null) throw new Error(`the parser of Rust gave nothing for ${path}`);
      stripped.set(path, tree.rootNode.hasError ? { text, testPaths: [] } : strip(path, text, tree.rootNode));
      tree.delete();
    }
  } finally {
    parser.delete();
  }
  return stripped;
}

interface Cut {
  readonly from: number;
  readonly to: number;
}

function strip(path: string, text: string, root: Node): StrippedSource {
  const cuts: Cut[] = [];
  const testPaths: string[] = [];
  for (const comment of root.descendantsOfType(["line_comment", "block_comment"])) {
    // Documentation is an attribute: macros read it.
    if (comment.childForFieldName("doc") !== null || /^(\/\/[/!]|\/\*[*!])/.test(comment.text)) continue;
    cuts.push({ from: comment.startIndex, to: comment.endIndex });
  }
  for (const attribute of root.descendantsOfType("attribute_item")) {
    if (judgeAttribute(attribute.text) !== "test") continue;
    const item = itemOf(attribute);
    if (item === null || !removable.has(item.type)) continue;
    const first = firstOfItem(attribute);
    cuts.push({ from: first.startIndex, to: item.endIndex });
    if (item.type === "mod_item" && item.childForFieldName("body") === null && !hasPath(first, item))
      testPaths.push(...filesOfModule(path, item.childForFieldName("name")?.text ?? ""));
  }
  return { text: cutOut(text, cuts), testPaths };
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

function hasPath(first: Node, item: Node): boolean {
  for (let node: Node | null = first; node !== null && node.id !== item.id; node = node.nextNamedSibling)
    if (/^#\s*\[\s*path\b/.test(node.text)) return true;
  return false;
}

/** Where `mod name;` of a file lies. */
function filesOfModule(path: string, name: string): string[] {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return [];
  const base = posix.basename(path);
  const isRoot = base === "lib.rs" || base === "main.rs" || base === "mod.rs";
  const folder = isRoot ? posix.dirname(path) : path.replace(/\.rs$/, "");
  return [posix.join(folder, `${name}.rs`), posix.join(folder, name)];
}

/** Lines stay; what stood to the right of a cut keeps its column; what is blank to the end of its line goes. */
function cutOut(text: string, cuts: readonly Cut[]): string {
  let kept = "";
  let at = 0;
  for (const cut of cuts.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    // The grammar counts a carriage return to the comment before it.
    const to = text[cut.to - 1] === "\r" ? cut.to - 1 : cut.to;
    if (to <= at) continue;
    const from = Math.max(at, cut.from);
    kept += text.slice(at, from);
    const blank = text.slice(from, to).replaceAll(/[^\r\n]/g, " ");
    // Blanks before a cut are never part of a string: the cut begins where a token begins.
    kept = `${blank.includes("\n") ? trimBlanks(kept) : kept}${blank.replaceAll(/[ \t]+(?=\r?\n)/g, "")}`;
    at = to;
    const rest = /[ \t]*(?=\r?\n|$)/y;
    rest.lastIndex = at;
    if (!rest.test(text)) continue;
    at = rest.lastIndex;
    kept = trimBlanks(kept);
  }
  // What is cut at the end leaves nothing: tests mostly stand there.
  return `${(kept + text.slice(at)).trimEnd()}\n`;
}

function trimBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === " " || text[end - 1] === "\t")) end -= 1;
  return text.slice(0, end);
}
