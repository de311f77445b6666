import { isNode, walk, type Finding, type SourceFile, type SyntaxNode } from "../source-file.ts";

const pureFolders = ["src/core/", "src/decide/", "src/workflows/"];

/** `object.member` whose answer differs from call to call. */
const impureMembers = new Set([
  "Date.now",
  "Math.random",
  "performance.now",
  "process.hrtime",
  "process.env",
  "crypto.randomUUID",
  "crypto.getRandomValues",
]);

/** core, decide and workflows: time and chance come in as arguments. */
export function pureRule(file: SourceFile): readonly Finding[] {
  if (!pureFolders.some((folder) => file.path.startsWith(folder))) return [];
  const findings: Finding[] = [];
  walk(file.program, (node) => {
    const what = impureThing(node);
    if (what !== null) {
      const line = file.lineOf(node.start);
      findings.push({ path: file.path, line, rule: "pure", message: `${what}: time and chance come in as arguments` });
    }
  });
  return findings;
}

function impureThing(node: SyntaxNode): string | null {
  if (node.type === "NewExpression" && nameOf(node["callee"]) === "Date") return "new Date(…)";
  if (node.type === "CallExpression" && nameOf(node["callee"]) === "Date") return "Date()";
  if (node.type !== "MemberExpression") return null;
  const text = `${nameOf(node["object"])}.${memberName(node)}`.replace(/^globalThis\./, "");
  return impureMembers.has(text) ? text : null;
}

function memberName(node: SyntaxNode): string | null {
  const { property } = node;
  if (!isNode(property)) return null;
  if (property.type === "Literal") return String(property["value"]);
  return nameOf(property);
}

/** `Date`, and `Date` of `globalThis.Date`. */
function nameOf(node: unknown): string | null {
  if (!isNode(node)) return null;
  if (node.type === "MemberExpression" && nameOf(node["object"]) === "globalThis") return memberName(node);
  return node.type === "Identifier" && typeof node["name"] === "string" ? node["name"] : null;
}
