import { parentPort } from "node:worker_threads";
import { runSeed, type SeedResult } from "../run-seed.ts";
import { fullSetting, type Setting } from "../setting.ts";

/** What a worker is asked. */
export interface SeedJob {
  readonly seed: number;
  readonly setting: Setting;
}

const port = parentPort;
if (port === null) throw new Error("this file runs as a worker thread of the simulator");

/** Nobody reads the story of a run in which nothing happens: one in which something does is told by running it again. */
async function runQuietly(seed: number, setting: Setting): Promise<SeedResult> {
  if (setting.keepLines > fullSetting.keepLines) return runSeed(seed, setting);
  const result = await runSeed(seed, { ...setting, keepLines: 0 });
  return result.violation === null ? result : runSeed(seed, setting);
}

port.on("message", ({ seed, setting }: SeedJob) => {
  runQuietly(seed, setting).then(
    (result: SeedResult) => port.postMessage(result),
    (error: unknown) => {
      throw error;
    },
  );
});
