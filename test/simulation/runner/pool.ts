import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import type { SeedResult } from "../run-seed.ts";
import type { Setting } from "../setting.ts";
import type { SeedJob } from "./worker.ts";

/** Worker threads that run seeds, one at a time each. */
export interface Pool {
  readonly size: number;
  run(seed: number, setting: Setting): Promise<SeedResult>;
  close(): Promise<void>;
}

interface Waiting {
  readonly job: SeedJob;
  readonly resolve: (result: SeedResult) => void;
  readonly reject: (error: Error) => void;
}

/** A run makes much that dies at once: with room for it little of it is moved. */
const youngMb = 96;

/**
 * How much of a function runs before V8 compiles it anew: nine times what it waits for by itself. Compiling is a third of what
 * sixty seeds cost otherwise; of many more it makes no difference.
 */
const interruptBudget = 600_000;

/** `file`: of `bundleSimulator`. Every run that is waiting rejects when a worker dies. */
export function openPool(file: string, size: number): Pool {
  setFlagsFromString(`--interrupt-budget=${interruptBudget}`);
  const queue: Waiting[] = [];
  const idle: Worker[] = [];
  const running = new Map<Worker, Waiting>();
  const feed = (): void => {
    for (let worker = idle.pop(); worker !== undefined; worker = idle.pop()) {
      const next = queue.shift();
      if (next === undefined) {
        idle.push(worker);
        return;
      }
      running.set(worker, next);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread, not a window.
      worker.postMessage(next.job);
    }
  };
  const workers = Array.from({ length: size }, () => {
    const worker = new Worker(file, { resourceLimits: { maxYoungGenerationSizeMb: youngMb } });
    worker.on("message", (result: SeedResult) => {
      const done = running.get(worker);
      running.delete(worker);
      idle.push(worker);
      done?.resolve(result);
      feed();
    });
    worker.on("error", (error) => {
      for (const one of [...running.values(), ...queue.splice(0)])
        one.reject(error instanceof Error ? error : new Error(String(error)));
    });
    idle.push(worker);
    return worker;
  });
  return {
    size,
    run: (seed, setting) =>
      new Promise((resolve, reject) => {
        queue.push({ job: { seed, setting }, resolve, reject });
        feed();
      }),
    async close() {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}
