import { createRequire } from "node:module";
import { Language, type Node, Parser } from "web-tree-sitter";
import { isBuildLine, mayBuild } from "./go-constraint.ts";
import type { GoRaw } from "./go-raw.ts";
import { parseWithin } from "./parse-within.ts";
import { unquoteGo } from "./go-string.ts";

const require = createRequire(import.meta.url);

let opened: Promise<Parser> | null = null;

async function openParser(): Promise<Parser> {
  await Parser.init();
  const wasm = require.resolve("tree-sitter-go/tree-sitter-go.wasm");
  return new Parser().setLanguage(await Language.load(wasm));
}

/** The imports of one file by the grammar, where no Go is there to ask. It is held to the same table as Go's own parser. */
export async function readGoByGrammar(text: string): Promise<GoRaw> {
  const parser = await (opened ??= openParser());
  const zero = text.indexOf("\0");
  if (zero !== -1) return fault(text.slice(0, zero).split("\n").length, "illegal character NUL");
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const parsing = parseWithin(parser, source);
  if (parsing.kind === "refused") return fault(0, parsing.why);
  const { tree } = parsing;
  try {
    return collect(tree.rootNode, source);
  } finally {
    tree.delete();
  }
}

function fault(line: number, message: string): GoRaw {
  return { ignored: false, imports: [], embeds: [], faults: [{ line, message }] };
}

function lineOf(node: Node): number {
  return node.startPosition.row + 1;
}

/** Comments, the package clause, imports: whatever comes behind them is for the compiler to judge. */
function collect(root: Node, source: string): GoRaw {
  const imports: GoRaw["imports"] = [];
  const faults: GoRaw["faults"] = [];
  let constraint: string | null = null;
  let named = false;
  for (const node of root.children) {
    if (node === null || node.type === ";" || node.type === "\n") continue;
    if (node.type === "comment") {
      if (!named && constraint === null && isBuildLine(node.text)) constraint = node.text.trimEnd();
      continue;
    }
    if (node.type === "package_clause" && !named && !node.hasError) named = true;
    else if (node.type === "import_declaration" && named) collectImports(node, imports, faults);
    else {
      if (!named) faults.push({ line: lineOf(node), message: "expected 'package'" });
      else if (node.isError && /^import\b/.test(node.text))
        faults.push({ line: lineOf(node), message: "syntax error" });
      break;
    }
  }
  if (!named && faults.length === 0) faults.push({ line: root.endPosition.row + 1, message: "expected 'package'" });
  const ignored = constraint !== null && !mayBuild(constraint);
  const embeds = imports.some(({ path }) => path === "embed") && source.includes("//go:embed") && !root.hasError;
  return { ignored, imports, embeds: embeds ? collectEmbeds(root) : [], faults };
}

function collectImports(declaration: Node, imports: GoRaw["imports"], faults: GoRaw["faults"]): void {
  const broken = declaration.hasError ? declaration.descendantsOfType("ERROR")[0] : null;
  if (declaration.hasError) faults.push({ line: lineOf(broken ?? declaration), message: "syntax error" });
  for (const spec of declaration.descendantsOfType("import_spec")) {
    const literal = spec?.childForFieldName("path");
    if (!spec || !literal) continue;
    const path = unquoteGo(literal.text);
    if (path === null) faults.push({ line: lineOf(literal), message: "invalid import path" });
    else imports.push({ path, name: spec.childForFieldName("name")?.text ?? "", line: lineOf(literal) });
  }
}

function collectEmbeds(root: Node): GoRaw["embeds"] {
  return root.descendantsOfType("comment").flatMap((comment) => {
    const patterns = comment === null ? null : /^\/\/go:embed((?:[ \t][^]*)?)$/.exec(comment.text)?.[1];
    return comment === null || patterns === null || patterns === undefined
      ? []
      : [{ patterns: patterns.trimEnd(), line: lineOf(comment) }];
  });
}
