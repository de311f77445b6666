import { isNode, walk, type Finding, type SourceFile, type SyntaxNode } from "../source-file.ts";
import { isEmptyCollection, isAllowed } from "./empty-result-rule.ts";

/** Names under which an error is handed to a callback. */
const errorNames = new Set(["error", "err", "cause", "failure"]);

/**
 * Roads on which an error is lost beside a plain catch (R42): settled promises of which only the good ones are looked at,
 * `finally` that returns over an error, a loop that leaves out what failed, a callback or a parse that failed and reads as
 * empty.
 */
export function lostErrorRule(file: SourceFile): readonly Finding[] {
  if (!/^(src|bench|bin)\//.test(file.path)) return [];
  const findings: Finding[] = [];
  walk(file.program, (node, parents) => {
    for (const [place, what] of lostBy(node, parents, file.text)) {
      if (isAllowed(file, place)) continue;
      const message = `${what}: an error is never an empty result. Let it through, or say \`// absence is the answer: <why>\``;
      findings.push({ path: file.path, line: file.lineOf(place.start), rule: "lost-error", message });
    }
  });
  return findings;
}

type Lost = readonly (readonly [SyntaxNode, string])[];

function lostBy(node: SyntaxNode, parents: readonly SyntaxNode[], text: string): Lost {
  switch (node.type) {
    case "CallExpression":
      return isCallOf(node, "allSettled") && !looksAtReasons(node, parents, text)
        ? [[node, "Promise.allSettled of which nobody reads why one was rejected"]]
        : [];
    case "TryStatement":
      return isNode(node["finalizer"]) ? jumpsIn(node["finalizer"], "ReturnStatement", "finally that returns") : [];
    case "CatchClause":
      return isNode(node["body"])
        ? jumpsIn(node["body"], "ContinueStatement", "catch that leaves one out of a loop")
        : [];
    case "ConditionalExpression":
      return lostByChoice(node);
    case "LogicalExpression":
      return isEmptyList(node["right"]) && isFailedParse(node["left"])
        ? [[node, "what did not parse reads as empty"]]
        : [];
    default:
      return [];
  }
}

function isCallOf(call: SyntaxNode, name: string): boolean {
  const { callee } = call;
  return isNode(callee) && isNode(callee["property"]) && callee["property"]["name"] === name;
}

/** In the function around it: the word is enough, what is done with it is for a person to judge. */
function looksAtReasons(node: SyntaxNode, parents: readonly SyntaxNode[], text: string): boolean {
  const around = parents.findLast(({ type }) => /Function/.test(type)) ?? parents[0] ?? node;
  return /\breason\b|"rejected"|'rejected'/.test(text.slice(around.start, around.end));
}

/** Not those of functions or loops inside. */
function jumpsIn(block: SyntaxNode, type: string, what: string): Lost {
  const found: (readonly [SyntaxNode, string])[] = [];
  walk(block, (node) => {
    if (/Function/.test(node.type)) return false;
    if (type === "ContinueStatement" && /^(For|While|Do)/.test(node.type)) return false;
    if (node.type === type) found.push([node, what]);
    return undefined;
  });
  return found;
}

function lostByChoice(node: SyntaxNode): Lost {
  const { test, consequent, alternate } = node;
  if (isError(test) && isEmptyCollection(consequent)) return [[node, "an error that reads as empty"]];
  if (isOutcome(test) && isEmptyList(alternate)) return [[node, "what did not parse reads as empty"]];
  return [];
}

function isError(test: unknown): boolean {
  if (!isNode(test)) return false;
  if (test.type === "Identifier") return errorNames.has(String(test["name"]));
  return test.type === "BinaryExpression" && isError(test["left"]) && /^!==?$/.test(String(test["operator"]));
}

/** `parsed.success`. */
function isOutcome(test: unknown): boolean {
  return (
    isNode(test) &&
    test.type === "MemberExpression" &&
    isNode(test["property"]) &&
    test["property"]["name"] === "success"
  );
}

/** `schema.safeParse(value).data`. */
function isFailedParse(value: unknown): boolean {
  if (!isNode(value) || value.type !== "MemberExpression" || !isNode(value["object"])) return false;
  const { object } = value;
  return object.type === "CallExpression" && isCallOf(object, "safeParse");
}

/** Null and undefined say that there is none; an empty list or object says that there are no more. */
function isEmptyList(value: unknown): boolean {
  return (
    isNode(value) &&
    ["ArrayExpression", "ObjectExpression", "NewExpression"].includes(value.type) &&
    isEmptyCollection(value)
  );
}
