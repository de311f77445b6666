import { isNode, walk, type SourceFile, type SyntaxNode } from "../source-file.ts";

/** Where a file goes on by itself: `setInterval`, loops that pause in their body, and what is given to `keepLooking`. */
export function findLoops(file: SourceFile): readonly number[] {
  const lines: number[] = [];
  walk(file.program, (node) => {
    if (isBegun(node) || (isLoop(node) && pauses(node))) lines.push(file.lineOf(node.start));
  });
  return lines;
}

const loops = new Set(["WhileStatement", "DoWhileStatement", "ForStatement"]);

/** A `for` that counts is over by itself. */
function isLoop(node: SyntaxNode): boolean {
  return loops.has(node.type) && (node.type !== "ForStatement" || !isNode(node["update"]));
}

/** `keepLooking` is the one loop of `src/worker` that others are made of. */
const begins = new Set(["setInterval", "keepLooking"]);

function isBegun(node: SyntaxNode): boolean {
  return node.type === "CallExpression" && begins.has(nameOfCall(node));
}

const pause = /^(sleep|wait|pause|delay|setTimeout)$|(sleep|wait|pause)/i;

/** It awaits something that is called as a pause is; loops in it are loops of their own. */
function pauses(loop: SyntaxNode): boolean {
  let found = false;
  walk(loop, (node) => {
    if (found || (node !== loop && isLoop(node))) return false;
    if (node.type !== "AwaitExpression") return true;
    walk(node, (below) => {
      if (below.type === "CallExpression" && pause.test(nameOfCall(below))) found = true;
      return !found;
    });
    return true;
  });
  return found;
}

function nameOfCall(call: SyntaxNode): string {
  const callee = call["callee"];
  if (!isNode(callee)) return "";
  const named = callee.type === "MemberExpression" ? callee["property"] : callee;
  return isNode(named) && typeof named["name"] === "string" ? named["name"] : "";
}
