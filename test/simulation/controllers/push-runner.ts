import { closePush } from "../../../src/activities/close-push.ts";
import type { PushDependencies } from "../../../src/activities/control-dependencies.ts";
import { findChangedNodes } from "../../../src/activities/find-changed-nodes.ts";
import { openNewPush, type PushRequest } from "../../../src/activities/open-push.ts";
import { tellBatch } from "../../../src/activities/tell.ts";
import { DeadEpochError, InputError, StoppedError } from "../../../src/core/errors.ts";
import type { PushResult } from "../../../src/core/push.ts";
import type { Random } from "../random.ts";
import type { Timeline } from "../timeline.ts";
import type { Controller } from "./controller.ts";

/** As many rounds as the workflow has. */
const roundLimit = 5;

export interface PushRunner {
  readonly timeline: Timeline;
  readonly random: Random;
  /** Those that poll for work now. */
  readonly workers: () => readonly Controller[];
  /** How long until an attempt that does not answer is given up and made again beside the first: a zombie. */
  readonly attemptLimitMs: () => number;
  /** Nodes per transaction of the gate. */
  readonly batchSize: number;
  readonly limits: PushDependencies["limits"];
  readonly startMs: number;
  readonly onZombie: () => void;
}

/**
 * What the workflows of a push do, over an engine that hands activities to whoever polls, gives attempts up, and makes
 * them again: the same order of the same activities, at least once each.
 */
export async function runPush(
  runner: PushRunner,
  request: PushRequest,
): Promise<PushResult | InputError | StoppedError> {
  const { batchSize } = runner;
  const confirmRemoval = request.confirmRemoval === true;
  try {
    const opened = await attempt(runner, (worker) => openNewPush(dependenciesOf(runner, worker), request));
    let targets = opened.targets;
    let rounds = 0;
    let moving: readonly string[] = [];
    while (targets > 0 && rounds <= roundLimit) {
      const round = rounds;
      for (let from = 0; from < targets; from += batchSize) {
        const batch = { mesh: request.mesh, push: request.push, round, from, count: batchSize, confirmRemoval };
        const signal = new AbortController().signal;
        await attempt(runner, (worker) => tellBatch(worker.tellDependencies(), batch, signal));
      }
      const changed = await attempt(runner, (worker) =>
        findChangedNodes(dependenciesOf(runner, worker), { push: request.push, round }),
      );
      rounds += 1;
      targets = changed.count;
      moving = changed.firstNames;
    }
    const end = { push: request.push, rounds, moving: targets > 0 ? moving : [] };
    return await attempt(runner, (worker) => closePush(dependenciesOf(runner, worker), end));
  } catch (error) {
    // A failure that is not made better by doing it again ends the push, and is its answer.
    if (error instanceof InputError || error instanceof StoppedError) return error;
    throw error;
  }
}

function dependenciesOf(runner: PushRunner, worker: Controller): PushDependencies {
  return {
    records: worker.connection.push,
    limits: runner.limits,
    nowMs: () => runner.startMs + runner.timeline.nowMs,
  };
}

/** Until one attempt answers. An attempt that was given up goes on beside the next. */
async function attempt<T>(runner: PushRunner, act: (worker: Controller) => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    const workers = runner.workers();
    if (workers.length === 0) {
      await runner.timeline.pass(1_000);
      continue;
    }
    const worker = runner.random.pick(workers);
    const limit = runner.attemptLimitMs();
    let cancel = (): void => undefined;
    const given = new Promise<{ readonly kind: "given-up" }>((resolve) => {
      cancel = runner.timeline.at(limit, () => resolve({ kind: "given-up" }));
    });
    const made = act(worker).then(
      (value) => ({ kind: "answered", value }) as const,
      (error: unknown) => ({ kind: "failed", error }) as const,
    );
    const outcome = await Promise.race([made, given]);
    cancel();
    if (outcome.kind === "answered") return outcome.value;
    if (outcome.kind === "given-up") runner.onZombie();
    else {
      const { error } = outcome;
      if (error instanceof InputError || error instanceof StoppedError) throw error;
      if (error instanceof DeadEpochError) worker.kill();
    }
    await runner.timeline.pass(Math.min(30_000, 500 * 2 ** Math.min(tries, 10)));
  }
}
