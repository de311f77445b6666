/**
 * May a `//go:build` line hold, when every tag but `ignore` is taken for both set and not set? So Go's own `go mod tidy`
 * looks for imports. A line that cannot be read holds: the compiler is the judge of it.
 */
export function mayBuild(line: string): boolean {
  const tokens = line.slice("//go:build".length).match(/&&|\|\||[!()]|[\p{L}\p{Nd}_.]+|\S/gu) ?? [];
  const parser = { tokens, at: 0 };
  const expression = readOr(parser);
  if (expression === null || parser.at !== tokens.length) return true;
  return mayHold(expression, true);
}

export function isBuildLine(comment: string): boolean {
  return /^\/\/go:build([ \t]|$)/.test(comment);
}

type Expression =
  | { readonly kind: "tag"; readonly tag: string }
  | { readonly kind: "not"; readonly of: Expression }
  | { readonly kind: "and" | "or"; readonly left: Expression; readonly right: Expression };

interface Parser {
  readonly tokens: readonly string[];
  at: number;
}

function mayHold(expression: Expression, wanted: boolean): boolean {
  switch (expression.kind) {
    case "tag":
      return expression.tag !== "ignore" && wanted;
    case "not":
      return !mayHold(expression.of, !wanted);
    case "and":
      return mayHold(expression.left, wanted) && mayHold(expression.right, wanted);
    case "or":
      return mayHold(expression.left, wanted) || mayHold(expression.right, wanted);
    default:
      throw new Error("an expression of a kind nobody knows");
  }
}

function readOr(parser: Parser): Expression | null {
  return readPairs(parser, "||", "or", (one) => readPairs(one, "&&", "and", readNot));
}

function readPairs(
  parser: Parser,
  sign: string,
  kind: "and" | "or",
  readOperand: (parser: Parser) => Expression | null,
): Expression | null {
  let left = readOperand(parser);
  while (left !== null && parser.tokens[parser.at] === sign) {
    parser.at += 1;
    const right = readOperand(parser);
    left = right === null ? null : { kind, left, right };
  }
  return left;
}

/** Lines are as hostile as files: past this many brackets and signs one is not read. */
const depthLimit = 100;

function readNot(parser: Parser): Expression | null {
  const token = parser.tokens[parser.at];
  if (token === undefined || parser.tokens.length > depthLimit * 10) return null;
  parser.at += 1;
  if (token === "!") {
    const of = parser.tokens[parser.at] === "!" ? null : readNot(parser);
    return of === null ? null : { kind: "not", of };
  }
  if (token === "(") {
    const inner = readOr(parser);
    const closed = parser.tokens[parser.at] === ")";
    parser.at += 1;
    return closed ? inner : null;
  }
  return /^[\p{L}\p{Nd}_.]+$/u.test(token) ? { kind: "tag", tag: token } : null;
}
