import { createRequire } from "node:module";
import { Language, Parser, type Node } from "web-tree-sitter";
import { parseWithin } from "./parse-within.ts";
import { withoutMark } from "./python-ast.ts";
import { readPythonString } from "./python-string.ts";
import type { RawImports } from "./python-raw-imports.ts";

let opened: Promise<Parser> | null = null;

async function openParser(): Promise<Parser> {
  await Parser.init();
  const wasm = createRequire(import.meta.url).resolve("tree-sitter-python/tree-sitter-python.wasm");
  return new Parser().setLanguage(await Language.load(wasm));
}

/** The imports of one file by the grammar, where no interpreter is there to ask. It holds itself to the same table. */
export async function readByGrammar(source: string): Promise<RawImports> {
  const parser = await (opened ??= openParser());
  const text = withoutMark(source);
  if (text.includes("\0")) return fault(0, "source code string cannot contain null bytes");
  const parsing = parseWithin(parser, text);
  if (parsing.kind === "refused") return fault(0, parsing.why);
  const { tree } = parsing;
  try {
    return collect(tree.rootNode);
  } finally {
    tree.delete();
  }
}

function fault(line: number, message: string): RawImports {
  return { imports: [], computed: [], fault: { line, message } };
}

interface Place {
  readonly node: Node;
  readonly kind: "static" | "type";
  readonly optional: boolean;
}

function collect(root: Node): RawImports {
  if (root.hasError) return fault(lineOf(findError(root)), "syntax error");
  const imports: RawImports["imports"] = [];
  const computed: RawImports["computed"] = [];
  const calls: Place[] = [];
  const loaders = new Set(["__import__", "builtins.__import__", "importlib.import_module"]);
  const stack: Place[] = [{ node: root, kind: "static", optional: false }];
  for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
    const { node, kind, optional } = place;
    // Python 2's own statements, which this grammar still reads.
    if (node.type === "print_statement" || node.type === "exec_statement") return fault(lineOf(node), "syntax error");
    for (const specifier of specifiersOf(node, loaders))
      imports.push({ specifier, kind, line: lineOf(node), optional });
    if (node.type === "call") calls.push(place);
    for (const child of childrenOf(place)) stack.push(child);
  }
  for (const { node, kind, optional } of calls) {
    const call = dottedOf(node.childForFieldName("function"));
    if (call === null || !loaders.has(call)) continue;
    const specifier = literalOf(argumentOf(node));
    if (specifier === null) computed.push({ line: lineOf(node), call });
    else imports.push({ specifier, kind: kind === "type" ? kind : "dynamic", line: lineOf(node), optional });
  }
  return { imports, computed, fault: null };
}

/** What is missing has no name: all children are looked at. */
function findError(root: Node): Node {
  let node = root;
  while (!node.isError && !node.isMissing) {
    const next = node.children.find((child) => child !== null && (child.hasError || child.isMissing));
    if (next === undefined || next === null) return node;
    node = next;
  }
  return node;
}

function lineOf(node: Node): number {
  return node.startPosition.row + 1;
}

function childrenOf({ node, kind, optional }: Place): Place[] {
  if (node.type === "if_statement" || node.type === "elif_clause") return branchesOf({ node, kind, optional });
  if (node.type !== "try_statement") return childNodes(node).map((child) => ({ node: child, kind, optional }));
  const guarded = optional || childNodes(node).some(catchesImportError);
  return childNodes(node).map((child) => {
    const isLater = child.type === "else_clause" || child.type === "finally_clause";
    return { node: child, kind, optional: isLater ? optional : guarded };
  });
}

/** What follows an `elif` is inside the `else` of what comes before it. */
function branchesOf({ node, kind, optional }: Place): Place[] {
  const condition = node.childForFieldName("condition");
  const asks = asksPlatform(condition);
  let later = optional || asks;
  return childNodes(node).map((child) => {
    if (child.id === condition?.id) return { node: child, kind, optional };
    if (child.type === "elif_clause") {
      const place = { node: child, kind, optional: later };
      later ||= asksPlatform(child.childForFieldName("condition"));
      return place;
    }
    const isBody = child.type !== "else_clause";
    const isType = isBody && lastNameOf(condition) === "TYPE_CHECKING";
    return { node: child, kind: isType ? "type" : kind, optional: isBody ? optional || asks : later };
  });
}

function asksPlatform(condition: Node | null): boolean {
  if (condition === null) return false;
  const names = new Set(["sys.platform", "sys.version_info", "os.name"]);
  const attributes = [condition, ...condition.descendantsOfType("attribute")];
  return attributes.some((node) => node !== null && names.has(dottedOf(node) ?? ""));
}

function catchesImportError(clause: Node): boolean {
  if (clause.type !== "except_clause" && clause.type !== "except_group_clause") return false;
  const [first] = childNodes(clause).filter((child) => child.type !== "block" && child.type !== "comment");
  if (first === undefined) return true;
  const kinds = first.type === "as_pattern" ? childNodes(first).slice(0, 1) : [first];
  const names = kinds.flatMap((kind) => (kind.type === "tuple" ? childNodes(kind) : [kind]));
  return names.some((name) => {
    const last = lastNameOf(name) ?? "";
    return ["ImportError", "ModuleNotFoundError", "Exception", "BaseException"].includes(last);
  });
}

function specifiersOf(node: Node, loaders: Set<string>): string[] {
  if (node.type === "import_statement") {
    return node.childrenForFieldName("name").flatMap((child) => {
      if (child === null) return [];
      const { name, alias } = namedOf(child);
      if (name === "importlib" && alias !== null) loaders.add(`${alias}.import_module`);
      return [name];
    });
  }
  if (node.type !== "import_from_statement") return [];
  const from = node.childForFieldName("module_name");
  if (from === null) return [];
  const specifier = moduleNameOf(from);
  for (const child of specifier === "importlib" ? node.childrenForFieldName("name") : []) {
    if (child === null) continue;
    const { name, alias } = namedOf(child);
    if (name === "import_module") loaders.add(alias ?? name);
  }
  return [specifier];
}

function namedOf(node: Node): { readonly name: string; readonly alias: string | null } {
  const name = node.type === "aliased_import" ? node.childForFieldName("name") : node;
  return { name: name === null ? "" : moduleNameOf(name), alias: node.childForFieldName("alias")?.text ?? null };
}

/** By its parts: there may be space and even line ends between them. */
function moduleNameOf(node: Node): string {
  if (node.type === "identifier") return node.text;
  if (node.type === "import_prefix") return node.text.replaceAll(/[^.]/g, "");
  return childNodes(node)
    .filter((child) => child.type !== "comment" && child.type !== "line_continuation")
    .map(moduleNameOf)
    .join(node.type === "dotted_name" ? "." : "");
}

/** Of `a`, `x.a` and whatever it is an attribute of; null for anything else. */
function lastNameOf(node: Node | null): string | null {
  if (node?.type === "identifier") return node.text;
  if (node?.type === "parenthesized_expression")
    return lastNameOf(childNodes(node).find((child) => child.type !== "comment") ?? null);
  return node?.type === "attribute" ? (node.childForFieldName("attribute")?.text ?? null) : null;
}

/** `a` and `a.b`; null for anything else. */
function dottedOf(node: Node | null): string | null {
  if (node?.type === "identifier") return node.text;
  if (node?.type === "parenthesized_expression")
    return dottedOf(childNodes(node).find((child) => child.type !== "comment") ?? null);
  if (node?.type !== "attribute") return null;
  const object = node.childForFieldName("object");
  const attribute = node.childForFieldName("attribute");
  return object?.type === "identifier" && attribute !== null ? `${object.text}.${attribute.text}` : null;
}

function argumentOf(call: Node): Node | null {
  const given = call.childForFieldName("arguments");
  if (given === null) return null;
  const words = childNodes(given).filter((child) => child.type !== "comment");
  const [first] = words;
  if (first !== undefined && first.type !== "keyword_argument") return first;
  const named = words.find((word) => word.childForFieldName("name")?.text === "name");
  return named?.childForFieldName("value") ?? null;
}

function literalOf(node: Node | null): string | null {
  if (node?.type === "parenthesized_expression")
    return literalOf(childNodes(node).find((child) => child.type !== "comment") ?? null);
  if (node?.type === "string") return readPythonString(node.text);
  if (node?.type !== "concatenated_string") return null;
  const parts = childNodes(node)
    .filter((child) => child.type !== "comment")
    .map((child) => readPythonString(child.text));
  return parts.some((part) => part === null) ? null : parts.join("");
}

function childNodes(node: Node): Node[] {
  return node.namedChildren.filter((child) => child !== null);
}
