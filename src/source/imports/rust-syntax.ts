import type { Node, Tree } from "web-tree-sitter";
import type { FileImports, Import, ImportKind } from "./import-reader.ts";

/**
 * What the kinds of an import mean in Rust. `static` and `reexport`: a `use` whose first name can only be a crate.
 * `require`: `extern crate`. `dynamic`: a `use` whose first name may also come from a glob, a macro or a `cfg`.
 * `type`: a path without `use`. A path to a file (`#[path]`, `include!`) starts with a dot.
 */
type Found = Omit<Import, "test"> & { readonly test: boolean };

/** The names of other crates in one parsed file, with the first line of each use. */
export function collectRustImports(tree: Tree): FileImports {
  const root = tree.rootNode;
  const scopes = findScopes(root);
  const local = findLocalNames(root);
  const found = new Map<string, Found>();
  const add = (specifier: string, kind: ImportKind, node: Node): void => {
    const test = isInside(scopes.tests, node);
    const key = `${specifier} ${kind} ${test}`;
    if (!found.has(key)) found.set(key, { specifier, kind, line: node.startPosition.row + 1, test });
  };
  const isOpen = (node: Node): boolean => isInside(scopes.conditional, node) || isInside(scopes.open, node);
  for (const node of root.descendantsOfType("extern_crate_declaration")) {
    const name = nameOf(node.childForFieldName("name"));
    if (name !== "" && name !== "self") add(name, "require", node);
  }
  for (const node of root.descendantsOfType("use_declaration")) {
    for (const first of firstNamesOfUse(node)) {
      if (!first.rooted && local.has(first.name)) continue;
      const plain: ImportKind = node.namedChild(0)?.type === "visibility_modifier" ? "reexport" : "static";
      add(first.name, isInside(scopes.conditional, node) || (!first.rooted && isOpen(node)) ? "dynamic" : plain, node);
    }
  }
  const uses = merge(root.descendantsOfType("use_declaration").map(rangeOf));
  const walked = new Set<number>();
  for (const node of root.descendantsOfType(["scoped_identifier", "scoped_type_identifier"])) {
    // `a::b` in `a::b::c` begins where that does.
    if (walked.has(node.id) || isInside(uses, node)) continue;
    const first = firstNameOfPath(node, walked);
    // Crates are lower case; a path that begins with a type is everywhere.
    if (first === null || !/^[a-z_]/.test(first.name) || primitives.has(first.name)) continue;
    if (!first.rooted && (local.has(first.name) || isOpen(node))) continue;
    add(first.name, "type", node);
  }
  for (const [path, node] of findFilePaths(root)) add(path, "static", node);
  const imports = [...found.values()].toSorted((a, b) => a.line - b.line);
  return {
    imports: imports.map(({ test, ...one }) => (test ? { ...one, test } : one)),
    findings: root.hasError ? [describeError(root)] : [],
  };
}

const primitives = new Set(
  "bool char str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f16 f32 f64 f128".split(" "),
);

export interface Range {
  readonly from: number;
  readonly to: number;
}

interface Scopes {
  /** Only tests are made of it. */
  readonly tests: readonly Range[];
  /** Some other `cfg` decides whether it is there. */
  readonly conditional: readonly Range[];
  /** A glob or a macro may bring names that are not written here. */
  readonly open: readonly Range[];
}

function findScopes(root: Node): Scopes {
  const tests: Range[] = [];
  const conditional: Range[] = [];
  const open: Range[] = [];
  const inner = root.descendantsOfType("inner_attribute_item").map((one) => [one, one.parent] as const);
  for (const [attribute, item] of [...itemsOf(root.descendantsOfType("attribute_item")), ...inner]) {
    const kind = judgeAttribute(attribute.text);
    if (kind !== null && item !== null) (kind === "test" ? tests : conditional).push(rangeOf(item));
  }
  for (const use of root.descendantsOfType("use_declaration"))
    if (use.descendantsOfType("use_wildcard").length > 0) open.push(rangeOf(use.parent ?? root));
  for (const macro of root.descendantsOfType("macro_invocation")) {
    const above = macro.parent?.type === "expression_statement" ? macro.parent.parent : macro.parent;
    if (above !== null && above !== undefined && itemScopes.has(above.type)) open.push(rangeOf(above));
  }
  return { tests: merge(tests), conditional: merge(conditional), open: merge(open) };
}

/** Sorted, without those inside another: so that asking is a search and not a walk. */
export function merge(ranges: readonly Range[]): Range[] {
  const outer: Range[] = [];
  for (const range of ranges.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    const last = outer.at(-1);
    if (last === undefined || range.to > last.to) outer.push(range);
  }
  return outer;
}

const itemScopes = new Set(["source_file", "declaration_list"]);

/** `test`: compiled for tests only. `cfg`: under a condition. Null: neither. */
export function judgeAttribute(text: string): "test" | "cfg" | null {
  const bare = text
    .replaceAll(/\s+/g, "")
    .replace(/^#!?\[/, "")
    .replace(/\]$/, "");
  if (bare === "test" || bare === "bench" || bare === "cfg(test)") return "test";
  const all = /^cfg\(all\((.*)\)\)$/.exec(bare)?.[1];
  if (all !== undefined && splitList(all).includes("test")) return "test";
  return bare.startsWith("cfg(") ? "cfg" : null;
}

function splitList(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at <= text.length; at += 1) {
    if (text[at] === "(") depth += 1;
    else if (text[at] === ")") depth -= 1;
    else if (at === text.length || (text[at] === "," && depth === 0)) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return parts;
}

/**
 * What each attribute is about: the next thing that is neither attribute nor comment. In the order given, which is that of
 * the file. From the last to the first, so that a thousand attributes of one item are not walked a thousand times.
 */
export function itemsOf(attributes: readonly Node[]): (readonly [Node, Node | null])[] {
  const items = new Map<number, Node | null>();
  for (const attribute of attributes.toReversed()) {
    let next = attribute.nextNamedSibling;
    while (next?.type.endsWith("_comment") === true) next = next.nextNamedSibling;
    items.set(attribute.id, next?.type === "attribute_item" ? (items.get(next.id) ?? null) : next);
  }
  return attributes.map((attribute) => [attribute, items.get(attribute.id) ?? null] as const);
}

function rangeOf(node: Node): Range {
  return { from: node.startIndex, to: node.endIndex };
}

/** `ranges` as `merge` leaves them. */
export function isInside(ranges: readonly Range[], node: Node): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.from ?? 0) <= node.startIndex) low = middle + 1;
    else high = middle;
  }
  const range = ranges[low - 1];
  return range !== undefined && node.endIndex <= range.to;
}

/** Modules, types and what `use` brings: a path that begins with one leads to no crate. */
function findLocalNames(root: Node): Set<string> {
  const names = new Set<string>();
  const items = ["mod_item", "enum_item", "struct_item", "union_item", "trait_item", "type_item", "type_parameter"];
  for (const item of root.descendantsOfType(items)) {
    const name = nameOf(item.childForFieldName("name"));
    if (name !== "") names.add(name);
  }
  for (const node of root.descendantsOfType(["use_as_clause", "extern_crate_declaration"])) {
    const alias = nameOf(node.childForFieldName("alias"));
    if (alias !== "" && alias !== "_") names.add(alias);
  }
  // `use a::b;` brings b; `use a;` says nothing new about a.
  for (const node of root.descendantsOfType("use_declaration")) {
    const argument = node.childForFieldName("argument");
    if (argument?.type === "scoped_identifier" && argument.childForFieldName("path") !== null)
      names.add(nameOf(argument.childForFieldName("name")));
    for (const list of node.descendantsOfType("scoped_use_list"))
      for (const entry of list.childForFieldName("list")?.namedChildren ?? []) {
        if (entry.type === "identifier") names.add(nameOf(entry));
        if (entry.type === "scoped_identifier") names.add(nameOf(entry.childForFieldName("name")));
      }
  }
  return names;
}

interface First {
  readonly name: string;
  /** Written `::name`: it can only be a crate. */
  readonly rooted: boolean;
}

function firstNamesOfUse(declaration: Node): First[] {
  const found: First[] = [];
  const argument = declaration.childForFieldName("argument");
  const waiting = argument === null ? [] : [{ node: argument, rooted: false }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node } = next;
    const rooted = next.rooted || node.child(0)?.type === "::";
    if (node.type === "use_list") for (const entry of node.namedChildren) waiting.push({ node: entry, rooted });
    else if (node.type === "use_wildcard") {
      const path = node.namedChild(0);
      if (path !== null) waiting.push({ node: path, rooted });
    } else if (node.type === "identifier") found.push({ name: nameOf(node), rooted });
    else if (node.type === "scoped_identifier") {
      const first = firstNameOfPath(node);
      if (first !== null) found.push({ name: first.name, rooted: rooted || first.rooted });
    } else if (node.type === "scoped_use_list" || node.type === "use_as_clause") {
      const inner = node.childForFieldName("path") ?? node.childForFieldName("list");
      if (inner !== null) waiting.push({ node: inner, rooted });
    }
  }
  return found;
}

/** Null where it begins with crate, self, super, a type in brackets or a name of a macro. `walked`: ids are added to it. */
function firstNameOfPath(path: Node, walked?: Set<number>): First | null {
  let node = path;
  for (;;) {
    walked?.add(node.id);
    const before = node.childForFieldName("path");
    if (before === null) {
      if (node.type === "identifier") return { name: nameOf(node), rooted: false };
      // Without a path before it, a scoped name begins with `::`.
      return node.type.startsWith("scoped_") ? { name: nameOf(node.childForFieldName("name")), rooted: true } : null;
    }
    node = before;
  }
}

function nameOf(node: Node | null): string {
  return (node?.text ?? "").replace(/^r#/, "").slice(0, 200);
}

/** Files that code takes in by a path of its own. */
function* findFilePaths(root: Node): Iterable<readonly [string, Node]> {
  for (const attribute of root.descendantsOfType("attribute_item")) {
    const path = /^#\s*\[\s*path\s*=\s*"([^"\\]{1,500})"\s*\]$/.exec(attribute.text)?.[1];
    if (path !== undefined) yield [path.startsWith(".") || path.startsWith("/") ? path : `./${path}`, attribute];
  }
  for (const macro of root.descendantsOfType("macro_invocation")) {
    const path = /^include(?:_str|_bytes)?!\s*[([{]\s*"([^"\\]{1,500})"\s*,?\s*[)\]}]$/.exec(macro.text)?.[1];
    if (path !== undefined) yield [path.startsWith(".") || path.startsWith("/") ? path : `./${path}`, macro];
  }
}

/** The edges are those of Cargo.toml, so what cannot be read here costs a line to show and no edge. */
function describeError(root: Node): FileImports["findings"][number] {
  const [error] = root.descendantsOfType("ERROR");
  return {
    severity: "warning",
    line: (error?.startPosition.row ?? 0) + 1,
    message: "cannot be read whole: what it uses without naming it in Cargo.toml is found by the compiler only",
  };
}
