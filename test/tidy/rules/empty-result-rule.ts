import { isNode, walk, type Finding, type SourceFile, type SyntaxNode } from "../source-file.ts";

/** The one way to say that an error really means *nothing there*: this comment, with the reason. */
const allowance = /^\W*absence is the answer: \S.{7,}/;

const emptyConstructors = new Set(["Map", "Set", "Array", "Object"]);
const functionTypes = new Set(["ArrowFunctionExpression", "FunctionExpression", "FunctionDeclaration"]);

/** No code turns an error into an empty result (R42): `catch { return [] }`, `.catch(() => null)`, `catch {}`. */
export function emptyResultRule(file: SourceFile): readonly Finding[] {
  if (!/^(src|bench|bin)\//.test(file.path)) return [];
  const findings: Finding[] = [];
  walk(file.program, (node) => {
    for (const [place, what] of swallowedBy(node)) {
      if (isAllowed(file, place)) continue;
      const message = `${what}: an error is never an empty result. Let it through, or say \`// absence is the answer: <why>\``;
      findings.push({ path: file.path, line: file.lineOf(place.start), rule: "empty-result", message });
    }
  });
  return findings;
}

/** Where in `node` an error becomes nothing. */
function swallowedBy(node: SyntaxNode): readonly (readonly [SyntaxNode, string])[] {
  if (node.type === "CatchClause" && isNode(node["body"])) return emptyEnds(node["body"], "catch");
  if (node.type !== "CallExpression") return [];
  const handler = rejectionHandler(node);
  if (handler === null) return [];
  if (handler.type === "Identifier")
    return handler["name"] === "noop" ? [[handler, "a handler that does nothing"]] : [];
  if (!functionTypes.has(handler.type) || !isNode(handler["body"])) return [];
  const { body } = handler;
  if (body.type === "BlockStatement") return emptyEnds(body, "a rejection's handler");
  return isEmpty(body) ? [[body, "a rejection's handler that answers nothing"]] : [];
}

/** The function given to `.catch(f)` or as the second one to `.then(…, f)`. */
function rejectionHandler(call: SyntaxNode): SyntaxNode | null {
  const { callee } = call;
  const list = call["arguments"];
  if (!isNode(callee) || callee.type !== "MemberExpression" || !isNode(callee["property"]) || !Array.isArray(list))
    return null;
  const name = callee["property"]["name"];
  const handler: unknown = name === "catch" ? list[0] : name === "then" ? list[1] : undefined;
  return isNode(handler) ? handler : null;
}

function emptyEnds(block: SyntaxNode, where: string): readonly (readonly [SyntaxNode, string])[] {
  const { body } = block;
  if (Array.isArray(body) && body.length === 0) return [[block, `${where} that does nothing`]];
  const found: (readonly [SyntaxNode, string])[] = [];
  walk(block, (node) => {
    if (functionTypes.has(node.type)) return false;
    if (node.type === "ReturnStatement" && isEmpty(node["argument"]))
      found.push([node, `${where} that returns nothing`]);
    if (node.type === "AssignmentExpression" && isEmptyCollection(node["right"])) {
      found.push([node, `${where} that sets an empty value`]);
    }
    return undefined;
  });
  return found;
}

function isEmpty(value: unknown): boolean {
  if (!isNode(value)) return true;
  if (isEmptyCollection(value)) return true;
  switch (value.type) {
    case "Literal":
      return value["value"] === false || value["value"] === 0;
    case "AwaitExpression":
      return isEmpty(value["argument"]);
    case "ConditionalExpression":
      return isEmpty(value["consequent"]) || isEmpty(value["alternate"]);
    case "LogicalExpression":
      return isEmpty(value["right"]);
    case "TSAsExpression":
    case "TSSatisfiesExpression":
    case "TSNonNullExpression":
      return isEmpty(value["expression"]);
    case "BlockStatement":
      return Array.isArray(value["body"]) && value["body"].length === 0;
    case "CallExpression":
      return isPromiseResolve(value) && isEmpty(firstOf(value["arguments"]));
    default:
      return false;
  }
}

export function isEmptyCollection(value: unknown): boolean {
  if (!isNode(value)) return false;
  switch (value.type) {
    case "ArrayExpression":
      return isEmptyList(value["elements"]);
    case "ObjectExpression":
      return isEmptyList(value["properties"]);
    case "NewExpression":
      return (
        isNode(value["callee"]) &&
        emptyConstructors.has(String(value["callee"]["name"])) &&
        isEmptyList(value["arguments"])
      );
    case "Literal":
      return value["value"] === "" || (value["value"] === null && !("regex" in value && value["regex"]));
    case "TemplateLiteral":
      return isEmptyList(value["expressions"]) && templateIsEmpty(value["quasis"]);
    case "Identifier":
      return value["name"] === "undefined";
    case "UnaryExpression":
      return value["operator"] === "void";
    default:
      return false;
  }
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function templateIsEmpty(quasis: unknown): boolean {
  return Array.isArray(quasis) && quasis.length === 1 && quasis[0]?.value?.cooked === "";
}

function isPromiseResolve(call: SyntaxNode): boolean {
  const { callee } = call;
  if (!isNode(callee) || callee.type !== "MemberExpression") return false;
  const { object, property } = callee;
  return isNode(object) && object["name"] === "Promise" && isNode(property) && property["name"] === "resolve";
}

function firstOf(list: unknown): unknown {
  return Array.isArray(list) ? list[0] : undefined;
}

/** The comment stands on the place's own line, on the three before it, or inside the block that does nothing. */
export function isAllowed(file: SourceFile, place: SyntaxNode): boolean {
  const line = file.lineOf(place.start);
  return file.comments.some((comment) => {
    if (!allowance.test(comment.value)) return false;
    if (place.type === "BlockStatement" && comment.start >= place.start && comment.end <= place.end) return true;
    const at = file.lineOf(comment.start);
    return at <= line && at >= line - 3;
  });
}
