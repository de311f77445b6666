import { isNode, literalText, walk, type SourceFile, type SyntaxNode } from "./source-file.ts";

export interface Import {
  /** Null where it is computed. */
  readonly specifier: string | null;
  /** `import type` / `export type`: erased. `import { type A }` is not: its module is still loaded. */
  readonly typeOnly: boolean;
  readonly line: number;
}

/** Every way in which a file reaches another one: static, re-export, dynamic, `require`, `import("x").T`. */
export function importsOf(file: SourceFile): readonly Import[] {
  const found: Import[] = [];
  const add = (node: SyntaxNode, source: unknown, typeOnly: boolean): void => {
    found.push({ specifier: literalText(source), typeOnly, line: file.lineOf(node.start) });
  };
  walk(file.program, (node) => {
    switch (node.type) {
      case "ImportDeclaration":
        return add(node, node["source"], node["importKind"] === "type");
      case "ExportNamedDeclaration":
      case "ExportAllDeclaration":
        if (isNode(node["source"])) add(node, node["source"], node["exportKind"] === "type");
        return undefined;
      case "ImportExpression":
        return add(node, node["source"], false);
      case "TSImportType":
        return add(node, node["source"] ?? node["argument"], true);
      case "TSExternalModuleReference":
        return add(node, node["expression"], false);
      case "CallExpression":
        if (isRequire(node)) add(node, firstArgument(node), false);
        return undefined;
      default:
        return undefined;
    }
  });
  return found;
}

function isRequire(node: SyntaxNode): boolean {
  const { callee } = node;
  return isNode(callee) && callee.type === "Identifier" && callee["name"] === "require";
}

function firstArgument(node: SyntaxNode): unknown {
  const list = node["arguments"];
  return Array.isArray(list) ? list[0] : undefined;
}
