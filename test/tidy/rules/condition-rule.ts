import type { ConditionKind } from "../../../src/core/condition-codes.ts";
import { isNode, walk, type SourceFile } from "../source-file.ts";

const opening = new Set(["observeCondition", "keepConditions", "keepSeen", "watchTrouble"]);
const closing = new Set(["clearCondition", "clearConditions", "clearQuietConditions", "keepSeen", "watchTrouble"]);
/** They take conditions of others. */
const roads = new Set(["store/conditions.ts", "worker/keep-seen.ts", "worker/note-trouble.ts"]);

/** Codes opened that the table does not know; rows that nobody opens or closes where they say. */
export function conditionFindings(files: readonly SourceFile[], kinds: readonly ConditionKind[]): readonly string[] {
  const read = new Map(files.map((file) => [file.path.replace("src/", ""), readFacts(file)]));
  const known = new Set(kinds.map((kind) => kind.code));
  const openers = new Set(kinds.flatMap((kind) => kind.opens));
  const findings: string[] = [];
  for (const [name, facts] of read) {
    if (roads.has(name) || ![...facts.calls].some((call) => opening.has(call))) continue;
    if (!openers.has(name)) findings.push(`${name} opens a condition and is in no row of condition-codes.ts`);
    for (const code of facts.codes)
      if (!known.has(code)) findings.push(`${name}: ${code} is not in condition-codes.ts`);
  }
  const does = (kind: ConditionKind, places: readonly string[], calls: ReadonlySet<string>): boolean => {
    const facts = places.flatMap((place) => read.get(place) ?? []);
    const isNamed = facts.some((one) => one.texts.has(kind.code));
    return isNamed && facts.some((one) => [...one.calls].some((call) => calls.has(call)));
  };
  for (const kind of kinds) {
    if (!does(kind, kind.opens, opening)) findings.push(`${kind.code}: nobody opens it in ${kind.opens.join(", ")}`);
    if (kind.closes !== "a person" && !does(kind, kind.closes, closing))
      findings.push(`${kind.code}: nobody closes it in ${kind.closes.join(", ")}`);
  }
  return findings;
}

interface Facts {
  readonly calls: ReadonlySet<string>;
  /** Every text in it, and those that stand behind `code:`. */
  readonly texts: ReadonlySet<string>;
  readonly codes: ReadonlySet<string>;
}

function readFacts(file: SourceFile): Facts {
  const facts = { calls: new Set<string>(), texts: new Set<string>(), codes: new Set<string>() };
  walk(file.program, (node) => {
    const callee = node["callee"];
    if (node.type === "CallExpression" && isNode(callee) && typeof callee["name"] === "string")
      facts.calls.add(callee["name"]);
    if (node.type === "Literal" && typeof node["value"] === "string") facts.texts.add(node["value"]);
    const { key, value } = node;
    if (node.type === "Property" && isNode(key) && key["name"] === "code" && isNode(value))
      if (typeof value["value"] === "string") facts.codes.add(value["value"]);
  });
  return facts;
}

/** docs/conditions.md, whole. */
export function conditionsPage(kinds: readonly ConditionKind[]): string {
  const rows = kinds.map((kind) => {
    const ends = kind.closes === "a person" ? "by a person: `mesh conditions clear`" : "by itself";
    return `| \`${kind.code}\` | ${kind.subject} | ${kind.watches} | ${kind.urgent} | ${ends} | ${kind.remedy} |`;
  });
  return `# Conditions

What the controller says of itself and of the mesh when something is not as it should be: \`mesh conditions\`, and part of
\`mesh status\`. Each has a code, a subject, a beginning, a count, when it was last seen, and what to do. It is opened by what
watches it and closed by the same. This page is written from \`src/core/condition-codes.ts\`; a test compares them, and the
source with both. Which loop opens which is in \`test/tidy/loops.ts\`.

| code | subject | open for as long as | urgent | ends | what to do |
|---|---|---|---|---|---|
${rows.join("\n")}
`;
}
