import {
  ChildWorkflowFailure,
  condition,
  executeChild,
  isCancellation,
  ParentClosePolicy,
  setCurrentDetails,
  WorkflowIdReusePolicy,
} from "@temporalio/workflow";
import { WorkflowExecutionAlreadyStartedError } from "@temporalio/common";
import type { NextStep } from "../activities/control-types.ts";
import { buildWorkflowId, pushWorkflowId } from "../decide/ids.ts";
import { askControl } from "./ask-control.ts";
import { meshModules, meshName, meshNodes, meshPhase } from "./attributes.ts";
import { build } from "./build.ts";
import { push } from "./push.ts";

/** More steps than any real wave has: a plan that never empties ends here, and the next wake looks again. */
const stepLimit = 500;

/**
 * One round: look and compare, then ask for steps and take them until none is left and none runs. A wake that comes in
 * between is served by looking again at once; what was started runs to its end (R16).
 */
export async function runReconcileRound(mesh: string, pending: Set<string>): Promise<void> {
  const running = new Map<string, Promise<void>>();
  const done: string[] = [];
  let wave: string | null = null;
  let ended = 0;
  for (let step = 0; step < stepLimit; step += 1) {
    if (step === 0 || pending.size > 0) {
      const reasons = [...pending];
      pending.clear();
      // A look is a new chance for everything, whether a round begins with it or not.
      done.length = 0;
      setCurrentDetails(`Looking at the sources: ${reasons.slice(0, 3).join("; ")}`);
      wave = (await askControl(mesh, reasons.join("; ")).compareSources({ mesh, wave, reasons })).wave;
    }
    const seen = ended;
    const plan = await askControl(mesh, "what is to be built and pushed next").planNextSteps({
      mesh,
      wave,
      running: [...running.keys()],
      done,
    });
    for (const next of plan.steps) {
      const key = next.key;
      running.set(
        key,
        takeStep(mesh, next)
          // One bad step never stops the loop: it is kept as a condition, the rest goes on.
          .catch(async (error: unknown) => {
            if (!(error instanceof ChildWorkflowFailure) || isCancellation(error)) throw error;
            await askControl(mesh, `${key} failed`).noteFailedStep({ mesh, key, message: rootMessage(error) });
          })
          .finally(() => {
            running.delete(key);
            done.push(key);
            ended += 1;
          }),
      );
    }
    setCurrentDetails(plan.summary);
    // What ended while the plan was made is not in it: the next plan reads it.
    if (running.size === 0 && pending.size === 0 && ended === seen) break;
    await condition(() => ended > seen || pending.size > 0);
  }
  await Promise.all(running.values());
  if (wave !== null) await askControl(mesh, `wave ${wave} is accounted for`).closeWave({ mesh, wave });
}

async function takeStep(mesh: string, step: NextStep): Promise<void> {
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
          { key: meshNodes, value: step.nodes.slice(0, 100) },
          { key: meshModules, value: step.modules.slice(0, 100) },
        ],
      });
  }
}

async function startBuild(mesh: string, step: Extract<NextStep, { kind: "build" }>): Promise<void> {
  try {
    await executeChild(build, {
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
  } catch (error) {
    // absence is the answer: somebody else builds exactly these inputs; its verdict is in the records, the next plan reads it there.
    if (error instanceof WorkflowExecutionAlreadyStartedError) return;
    throw error;
  }
}

/** What went wrong at the bottom of it, cut to a sentence. */
export function rootMessage(error: Error): string {
  let root: Error = error;
  while (root.cause instanceof Error) root = root.cause;
  return root.message.slice(0, 500);
}
