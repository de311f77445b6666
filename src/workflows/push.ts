import { executeChild, ParentClosePolicy, setCurrentDetails, upsertSearchAttributes } from "@temporalio/workflow";
import type { PushResult } from "../core/push.ts";
import { controlQueue, roundWorkflowId } from "../decide/ids.ts";
import { askControl } from "./ask-control.ts";
import { firstThatFit, meshName, meshNodes, meshOutcome, meshPhase } from "./attributes.ts";
import type { PushInput, RoundOutput } from "./messages.ts";
import { round } from "./round.ts";

/** Rounds after the named one. A cascade that still moves then *did not settle* (R18). */
const roundLimit = 5;

/** Baseline → named → rounds → result. What each node is told, and why, is kept in the records under the push's id. */
export async function push(input: PushInput): Promise<PushResult> {
  setCurrentDetails(`Capturing what every machine should be before ${describeNames(input.named)} is composed.`);
  const opened = await askControl(input.mesh, "what every machine should be before").openPush(input);
  let targets = opened.targets;
  let label = opened.summary;
  let rounds = 0;
  let last: RoundOutput | null = null;
  while (targets > 0 && rounds <= roundLimit) {
    setCurrentDetails(`Round ${rounds}: ${label}`);
    last = await runRound(input, rounds, targets, label);
    rounds += 1;
    label = last.summary;
    // A declaration by hand is for one node; whom it changed is behind, and status says so.
    targets = input.kind === "declare" ? 0 : last.changed;
  }
  const output = await askControl(input.mesh, "what came of it").closePush({
    mesh: input.mesh,
    push: input.push,
    rounds,
    moving: targets > 0 ? (last?.firstNames ?? []) : [],
  });
  upsertSearchAttributes([
    { key: meshPhase, value: "ended" },
    { key: meshOutcome, value: output.outcome },
  ]);
  setCurrentDetails(output.message);
  return output;
}

function runRound(input: PushInput, number: number, targets: number, label: string): Promise<RoundOutput> {
  return executeChild(round, {
    workflowId: roundWorkflowId(input.mesh, input.push, number),
    taskQueue: controlQueue(input.mesh),
    args: [
      { schema: 1, mesh: input.mesh, push: input.push, round: number, targets, confirmRemoval: input.confirmRemoval },
    ],
    parentClosePolicy: ParentClosePolicy.TERMINATE,
    staticSummary: cut(`${number === 0 ? "named" : `round ${number}`}: ${label}`, 200),
    typedSearchAttributes: [
      { key: meshName, value: input.mesh },
      { key: meshPhase, value: `round-${number}` },
      ...(number === 0 && input.named.length > 0 ? [{ key: meshNodes, value: firstThatFit(input.named) }] : []),
    ],
  });
}

function describeNames(names: readonly string[]): string {
  if (names.length === 0) return "the mesh";
  return names.length <= 5 ? names.join(", ") : `${names.slice(0, 5).join(", ")} and ${names.length - 5} more`;
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
}
