import { parseSync, visitorKeys, type Comment, type Program } from "oxc-parser";

/** A node of the syntax tree, seen without its type: rules look at `type` and at the members they know. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

export interface SourceFile {
  /** From the repository's root, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly program: SyntaxNode;
  readonly comments: readonly Comment[];
  readonly lineOf: (offset: number) => number;
}

export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly rule: string;
  /** What is wrong and where it belongs instead. */
  readonly message: string;
}

export type Rule = (file: SourceFile) => readonly Finding[];

/** Parses one TypeScript file. A file that does not parse is an error, never a file without findings. */
export function readSource(path: string, text: string): SourceFile {
  const result = parseSync(path, text, { sourceType: "module", preserveParens: false });
  const first = result.errors[0];
  if (first !== undefined) throw new Error(`${path} does not parse: ${first.message}`);
  const starts = lineStarts(text);
  return {
    path,
    text,
    program: asNode(result.program),
    comments: result.comments,
    lineOf: (offset) => starts.findLastIndex((start) => start <= offset) + 1,
  };
}

/** Calls `visit` for every node below `node`, itself first. `visit` returns false to leave out what is below. */
export function walk(
  node: SyntaxNode,
  visit: (node: SyntaxNode, parents: readonly SyntaxNode[]) => boolean | void,
): void {
  descend(node, [], visit);
}

function descend(
  node: SyntaxNode,
  parents: readonly SyntaxNode[],
  visit: (node: SyntaxNode, parents: readonly SyntaxNode[]) => boolean | void,
): void {
  if (visit(node, parents) === false) return;
  const below = [...parents, node];
  for (const child of childrenOf(node)) descend(child, below, visit);
}

function childrenOf(node: SyntaxNode): readonly SyntaxNode[] {
  const keys = visitorKeys[node.type];
  if (keys === undefined) throw new Error(`the parser has a node that it does not describe: ${node.type}`);
  return keys.flatMap((key) => {
    const member = node[key];
    return Array.isArray(member) ? member.filter(isNode) : isNode(member) ? [member] : [];
  });
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

/** The text of a string literal or of a template without holes; null for anything else. */
export function literalText(value: unknown): string | null {
  if (!isNode(value)) return null;
  if (value.type === "Literal" && typeof value["value"] === "string") return value["value"];
  if (value.type !== "TemplateLiteral") return null;
  const { quasis } = value;
  if (!Array.isArray(quasis) || quasis.length !== 1) return null;
  const cooked: unknown = quasis[0]?.value?.cooked;
  return typeof cooked === "string" ? cooked : null;
}

function asNode(program: Program): SyntaxNode {
  if (!isNode(program)) throw new Error("the parser gave no program");
  return program;
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
