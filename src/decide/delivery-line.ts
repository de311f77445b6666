import type { Digest, Name, ObjectId } from "../core/names.ts";
import { sayWord } from "./say-word.ts";
import { compareText, listNames, shortId } from "./short-names.ts";
import type { SituationWord } from "./situation.ts";

/** How a module stands, from the last comparison (`module.standing`). */
export type Standing =
  | "current"
  | "out-of-date"
  | "building"
  | "waiting"
  | "unfit"
  | "outstanding"
  | "broken"
  | "cannot-tell"
  | "new";

export interface DeliveryFacts {
  readonly module: Name;
  readonly sourceCommit: ObjectId | null;
  readonly standing: Standing;
  readonly standingWhy: string;
  /** The newest fit artifact and the commit it was built from. */
  readonly fit: { readonly artifact: Digest; readonly commit: ObjectId } | null;
  /** Changes of its source that comparisons saw since what it was built from; null: not known. */
  readonly behindBy: number | null;
  /** Modules it waits for. */
  readonly waitingFor: readonly Name[];
  /** Every node it is assigned to or was last sent to. */
  readonly nodes: readonly DeliveryNode[];
}

export interface DeliveryNode {
  readonly node: Name;
  /** The build of this module the node was last sent; null: never sent it. */
  readonly declared: Digest | null;
  /** Of this module on the node where it is not applied (`wordOfModule`), else the node's primary word. */
  readonly word: SituationWord;
  /** The host read back this module as wanted in what it was last sent: `isModuleApplied`. */
  readonly applied: boolean;
}

/** R15: a line about effect, not about a job. */
export interface DeliveryLine {
  readonly module: Name;
  readonly source: string | null;
  readonly builtFrom: string | null;
  /** `fit`, `unfit`, `outstanding`, `building`, `waiting for core`, `not built`, `broken`, `cannot tell`. */
  readonly verdict: string;
  /** As in `DeliveryFacts`. */
  readonly behindBy: number | null;
  readonly declaredOn: number;
  readonly appliedOn: number;
  readonly outstandingOn: number;
  /** Nodes that have another build of it declared. */
  readonly olderOn: number;
  /** Assigned and never sent it. */
  readonly notDeclaredOn: number;
  /** Words other than outstanding that keep a declared build from being applied, with how many nodes. */
  readonly others: readonly { readonly word: SituationWord; readonly nodes: number }[];
  readonly text: string;
}

/** `nameWidth`: columns to pad the module's name to. */
export function deliveryLine(facts: DeliveryFacts, nameWidth = 0): DeliveryLine {
  const { module, fit } = facts;
  const declared = facts.nodes.filter((node) => fit !== null && node.declared === fit.artifact);
  const applied = declared.filter((node) => node.applied);
  const pending = declared.filter((node) => !node.applied);
  const line: Omit<DeliveryLine, "text"> = {
    module,
    source: facts.sourceCommit === null ? null : shortId(facts.sourceCommit),
    builtFrom: fit === null ? null : shortId(fit.commit),
    verdict: sayVerdict(facts),
    behindBy: facts.behindBy,
    declaredOn: declared.length,
    appliedOn: applied.length,
    // Declared and told is *outstanding* until the host says how it went, whatever else holds about the node.
    outstandingOn: pending.filter((node) => !hasWord(node)).length,
    olderOn: facts.nodes.filter((node) => node.declared !== null && node.declared !== fit?.artifact).length,
    notDeclaredOn: facts.nodes.filter((node) => node.declared === null).length,
    others: countWords(pending.filter(hasWord)),
  };
  return { ...line, text: `${module.padEnd(nameWidth)}   ${saySteps(line, facts.standing)}` };
}

/** Words by which a node says why a declared build is not applied. */
const reasons: ReadonlySet<SituationWord> = new Set([
  "failed",
  "stuck",
  "un-ready",
  "refused",
  "reverted",
  "silent",
  "cannot-tell",
]);

function hasWord({ word }: DeliveryNode): boolean {
  return reasons.has(word);
}

/** The verdict is about the source as it is now; the build that runs may be an older, fit one. */
function sayVerdict({ standing, standingWhy, waitingFor, fit }: DeliveryFacts): string {
  switch (standing) {
    case "current":
      return "fit";
    case "waiting":
      return waitingFor.length === 0 ? `waiting: ${standingWhy}` : `waiting for ${listNames(waitingFor, 3)}`;
    case "new":
      return "not built";
    case "out-of-date":
      return fit === null ? "not built" : "out of date";
    case "building":
    case "unfit":
    case "outstanding":
    case "broken":
      return standing;
    case "cannot-tell":
      return "cannot tell";
  }
}

/** No commits: one that touches other paths is none, several between two looks are one, and a force push back is one too. */
function sayChanges(count: number): string {
  return count === 1 ? "1 change" : `${count} changes`;
}

function saySteps(line: Omit<DeliveryLine, "text">, standing: Standing): string {
  // A commit that touches other paths moves the source's commit, and nothing of the module: it looks behind and is not.
  const isSame = standing === "current" && line.source !== null && line.source !== line.builtFrom;
  const behind = isSame ? " (same content)" : line.behindBy ? `, ${sayChanges(line.behindBy)} seen since` : "";
  const steps = [
    `source ${line.source ?? "not known"}`,
    line.builtFrom === null ? "" : `built from ${line.builtFrom}${behind}`,
    line.verdict,
  ];
  if (line.builtFrom !== null) {
    const declared = [
      `declared on ${line.declaredOn}`,
      line.olderOn === 0 ? "" : `${line.olderOn} on another build`,
      line.notDeclaredOn === 0 ? "" : `${line.notDeclaredOn} not told`,
    ];
    const applied = [
      `applied on ${line.appliedOn}`,
      line.outstandingOn === 0 ? "" : `${line.outstandingOn} outstanding`,
      ...line.others.map(({ word, nodes }) => `${nodes} ${sayWord(word)}`),
    ];
    steps.push(joinSome(declared), joinSome(applied));
  }
  return steps.filter((step) => step !== "").join(" · ");
}

function joinSome(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(", ");
}

function countWords(nodes: readonly DeliveryNode[]): DeliveryLine["others"] {
  const counts = new Map<SituationWord, number>();
  for (const { word } of nodes) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => ({ word, nodes: count })).toSorted((a, b) => compareText(a.word, b.word));
}
