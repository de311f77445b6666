import { closePush } from "../../src/activities/close-push.ts";
import type { ControlDependencies } from "../../src/activities/control-dependencies.ts";
import { findChangedNodes } from "../../src/activities/find-changed-nodes.ts";
import { openNewPush, type PushRequest } from "../../src/activities/open-push.ts";
import { tellBatch, type TellDependencies } from "../../src/activities/tell.ts";
import { sealDeclaration } from "../../src/link/declaration-envelope.ts";
import { generateSigningKey } from "../../src/link/keys.ts";
import { sealSecret } from "../../src/link/sealing.ts";
import { grantEpoch } from "./tell-probe.ts";

interface Spent {
  readonly ms: number;
  /** Processor time of this process in that. */
  readonly cpuMs: number;
}

/** By step of the push; all batches of a round are one step. */
export type StepTimes = ReadonlyMap<string, Spent>;

export interface Pusher {
  /** Throws where it did not settle. */
  push(kind: PushRequest["kind"], named: readonly string[]): Promise<StepTimes>;
}

const batchSize = 100;

/** Calls the activities in the order in which the workflows do. */
export async function createPusher(deps: ControlDependencies): Promise<Pusher> {
  const { db, mesh, records } = deps;
  const key = generateSigningKey();
  const telling: TellDependencies = {
    records,
    mesh,
    epoch: await grantEpoch(db, mesh),
    mayAct: () => true,
    signDeclaration: (declaration) => sealDeclaration(declaration, [key]),
    sealSecret,
    staleAfterMs: 86_400_000,
    nowMs: Date.now,
    makePassword: () => "of the benchmark",
  };
  let pushes = 0;
  return {
    async push(kind, named) {
      const push = `looks-${(pushes += 1)}`;
      const times = new Map<string, Spent>();
      const timed = async <T>(step: string, act: () => Promise<T>): Promise<T> => {
        const [from, cpu] = [performance.now(), process.cpuUsage()];
        const result = await act();
        const { user, system } = process.cpuUsage(cpu);
        const before = times.get(step) ?? { ms: 0, cpuMs: 0 };
        times.set(step, {
          ms: before.ms + performance.now() - from,
          cpuMs: before.cpuMs + (user + system) / 1000,
        });
        return result;
      };
      const request = { mesh, push, kind, named, requestedBy: "bench", why: "", confirmRemoval: true };
      let { targets } = await timed("opening", () => openNewPush(deps, request));
      let round = 0;
      for (; targets > 0; round += 1) {
        for (let from = 0; from < targets; from += batchSize) {
          const batch = { mesh, push, round, from, count: batchSize, confirmRemoval: true };
          await timed("telling", () => tellBatch(telling, batch, new AbortController().signal));
        }
        targets = (await timed(`look ${round}`, () => findChangedNodes(deps, { push, round }))).count;
      }
      const result = await timed("closing", () => closePush(deps, { push, rounds: round, moving: [] }));
      if (result.outcome !== "settled") throw new Error(`push ${push} ${result.outcome}: ${result.message}`);
      return times;
    },
  };
}
