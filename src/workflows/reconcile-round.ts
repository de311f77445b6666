import {
  CancellationScope,
  condition,
  executeChild,
  isCancellation,
  ParentClosePolicy,
  patched,
  setCurrentDetails,
  WorkflowIdReusePolicy,
  workflowInfo,
} from "@temporalio/workflow";
import { WorkflowExecutionAlreadyStartedError } from "@temporalio/common";
import type { NextStep } from "../activities/control-types.ts";
import { buildWorkflowId, pushWorkflowId } from "../decide/ids.ts";
import { askControl, patienceOfComparison } from "./ask-control.ts";
import { firstThatFit, meshModules, meshName, meshNodes, meshPhase } from "./attributes.ts";
import { build } from "./build.ts";
import { push } from "./push.ts";

/** As many plans as one run's history bears. A longer wave goes on in the next run, once what was started has ended. */
const stepsPerRun = 250;
/** Builds under way at once: more than all machines have slots, so that none is idle while the next are planned. */
const window = 64;
/** While so many wait for a slot, plans are made for several ends at once: each costs a look at the whole mesh. */
const endsPerPlan = 4;

export interface RoundStart {
  readonly mesh: string;
  readonly pending: Set<string>;
  /** The wave that the run before began. */
  readonly wave: string | null;
  readonly steps?: number | undefined;
}

/** `goOnWith`: the wave is not over, and its next part belongs into a run of its own. */
export interface RoundEnd {
  readonly goOnWith: string | null;
}

/**
 * One round: look and compare, then ask for steps and take them until none is left and none runs. A wake that comes in
 * between is served by looking again at once; what was started runs to its end (R16).
 */
export async function runReconcileRound({
  mesh,
  pending,
  wave: before,
  steps = stepsPerRun,
}: RoundStart): Promise<RoundEnd> {
  const running = new Map<string, Promise<void>>();
  const done: string[] = [];
  const failures: Error[] = [];
  const inParts = patched("wave-in-parts");
  let wave = before;
  let ended = 0;
  let isOver = false;
  const isFull = (): boolean => inParts && workflowInfo().continueAsNewSuggested;
  for (let step = 0; step < steps && !isFull(); step += 1) {
    if (step === 0 || pending.size > 0) {
      const reasons = [...pending];
      pending.clear();
      // A look is a new chance for everything, whether a round begins with it or not.
      done.length = 0;
      setCurrentDetails(`Looking at the sources: ${reasons.slice(0, 3).join("; ")}`);
      const look = askControl(mesh, reasons.join("; "), patienceOfComparison);
      wave = (await look.compareSources({ mesh, wave, reasons })).wave;
    }
    const seen = ended;
    const plan = await askControl(mesh, "what is to be built and pushed next").planNextSteps({
      mesh,
      wave,
      running: [...running.keys()],
      done,
      ...(inParts ? { room: window - running.size } : {}),
    });
    if (plan.lookAgain === true) pending.add("what was held back may be looked at");
    for (const next of plan.steps) {
      const key = next.key;
      running.set(
        key,
        takeStep(mesh, next)
          .then((kept) => {
            // A verdict is in the records; only what has none there must not be taken again and again.
            if (!inParts || kept === "not in the records") done.push(key);
          })
          // One bad step never stops the loop: it is kept as a condition, the rest goes on. So is one that a person cancelled.
          .catch(async (error: unknown) => {
            done.push(key);
            const left = await noteFailure(mesh, key, error);
            if (left !== null) failures.push(left);
          })
          .finally(() => {
            running.delete(key);
            ended += 1;
          }),
      );
    }
    setCurrentDetails(plan.summary);
    // What ended while the plan was made is not in it: the next plan reads it.
    isOver = running.size === 0 && pending.size === 0 && ended === seen;
    if (isOver) break;
    await condition(() => {
      const enough = inParts && running.size > window / 2 ? endsPerPlan : 1;
      return ended >= seen + enough || pending.size > 0;
    });
    throwFirst(failures);
  }
  await Promise.all(running.values());
  throwFirst(failures);
  if (inParts && !isOver && wave !== null) return { goOnWith: wave };
  if (wave !== null) await askControl(mesh, `wave ${wave} is accounted for`).closeWave({ mesh, wave });
  return { goOnWith: null };
}

/**
 * Answers what is left to be thrown: thrown here it would be a rejection that nobody awaits, and fail each task of this
 * workflow from then on. Null: it is noted.
 */
async function noteFailure(mesh: string, key: string, error: unknown): Promise<Error | null> {
  try {
    if (!(error instanceof Error) || CancellationScope.current().consideredCancelled) throw error;
    const message = isCancellation(error) ? "it was cancelled" : rootMessage(error);
    await askControl(mesh, `${key} failed`).noteFailedStep({ mesh, key, message });
    return null;
  } catch (left) {
    return left instanceof Error ? left : new Error(String(left));
  }
}

function throwFirst(failures: readonly Error[]): void {
  if (failures.length > 0) throw failures[0];
}

type Kept = "in the records" | "not in the records";

async function takeStep(mesh: string, step: NextStep): Promise<Kept> {
  switch (step.kind) {
    case "build":
      return startBuild(mesh, step);
    case "push":
      await executeChild(push, {
        workflowId: pushWorkflowId(mesh, step.push),
        args: [
          {
            schema: 1,
            mesh,
            push: step.push,
            kind: "auto",
            named: step.nodes,
            requestedBy: "policy auto",
            why: step.why,
            confirmRemoval: false,
          },
        ],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        staticSummary: step.why.slice(0, 200),
        typedSearchAttributes: [
          { key: meshName, value: mesh },
          { key: meshPhase, value: "open" },
          { key: meshNodes, value: firstThatFit(step.nodes) },
          { key: meshModules, value: firstThatFit(step.modules) },
        ],
      });
      return "not in the records";
  }
}

async function startBuild(mesh: string, step: Extract<NextStep, { kind: "build" }>): Promise<Kept> {
  try {
    const result = await executeChild(build, {
      workflowId: buildWorkflowId(mesh, step.module, step.inputs),
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      args: [{ schema: 1, mesh, module: step.module, inputs: step.inputs, why: step.why }],
      staticSummary: step.why.slice(0, 200),
      typedSearchAttributes: [
        { key: meshName, value: mesh },
        { key: meshPhase, value: "building" },
        { key: meshModules, value: [step.module] },
      ],
    });
    return result.state === "superseded" ? "not in the records" : "in the records";
  } catch (error) {
    // absence is the answer: somebody else builds exactly these inputs; its verdict is in the records, the next plan reads it there.
    if (error instanceof WorkflowExecutionAlreadyStartedError) return "not in the records";
    throw error;
  }
}

/** What went wrong at the bottom of it, cut to a sentence. */
export function rootMessage(error: Error): string {
  let root: Error = error;
  while (root.cause instanceof Error) root = root.cause;
  return root.message.slice(0, 500);
}
