import { parentPort } from "node:worker_threads";
import { runSeed, type SeedResult } from "../run-seed.ts";
import type { Setting } from "../setting.ts";

/** What a worker is asked. */
export interface SeedJob {
  readonly seed: number;
  readonly setting: Setting;
}

const port = parentPort;
if (port === null) throw new Error("this file runs as a worker thread of the simulator");

port.on("message", ({ seed, setting }: SeedJob) => {
  runSeed(seed, setting).then(
    (result: SeedResult) => port.postMessage(result),
    (error: unknown) => {
      throw error;
    },
  );
});
