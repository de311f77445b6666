import { retryInMs } from "../decide/retry-builds.ts";
import { listLostBuilds, recordVerdict, type BuildRecord } from "../store/builds.ts";
import type { ControlDependencies } from "./control-dependencies.ts";

/**
 * Builds whose worker ended without a word are *outstanding* (R11). The first time one is tried again at once, for it
 * waited already; what loses its worker again and again waits longer and longer. `running`: what a workflow still
 * attends to, which tries it again by itself.
 */
export async function noteLostBuilds(deps: ControlDependencies, running: ReadonlySet<string>): Promise<void> {
  for (const lost of await listLostBuilds(deps.db, deps.mesh, deps.lostAfterMs)) {
    if (running.has(`${lost.module}@${lost.inputs}`)) continue;
    const losses = lost.class === "lost-worker" ? lost.classCount : 0;
    await recordVerdict(deps.db, deps.mesh, {
      module: lost.module,
      inputs: lost.inputs,
      attempt: lost.attempts,
      verdict: { verdict: "outstanding", class: "lost-worker", message: describeLoss(lost) },
      logTail: lost.logTail,
      retryInMs: losses === 0 ? 0 : retryInMs(losses, deps.random()),
    });
  }
}

function describeLoss({ claimant, seenAt, startedAt }: BuildRecord): string {
  return `the worker that built it (${claimant}) was not heard of since ${seenAt ?? startedAt}`;
}
