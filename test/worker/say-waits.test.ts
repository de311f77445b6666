import { expect, it } from "vitest";
import type { Worker } from "@temporalio/worker";
import { buildQueue, controlQueue } from "../../src/decide/ids.ts";
import { runWorkers } from "../../src/worker/create-workers.ts";
import { sayWaits } from "../../src/worker/say-waits.ts";

/** As the SDK's, with so many activities in hand until it is told to let them end. */
function createWorker(taskQueue: string, numInFlightActivities: number) {
  let state = "RUNNING";
  let ended = (): void => undefined;
  const run = new Promise<void>((resolve) => (ended = resolve));
  const worker = {
    options: { taskQueue },
    getState: () => state,
    getStatus: () => ({ numInFlightActivities }),
    shutdown: () => {
      state = "DRAINING";
      ended();
    },
    run: () => run,
  };
  return worker as unknown as Worker;
}

it("a controller that is told to stop says once what it waits for, before it waits (R48)", async () => {
  const workers = [createWorker(controlQueue("demo"), 1), createWorker(buildQueue("demo"), 2)];
  const stop = new AbortController();
  const said: string[] = [];
  const running = runWorkers(workers, stop.signal, () => {
    expect(workers.map((worker) => worker.getState())).toEqual(["RUNNING", "RUNNING"]);
    said.push(sayWaits(workers, "demo"));
  });
  stop.abort();
  await running;
  expect(said).toEqual([
    "this controller ends, and waits for 2 builds and 1 step of a push or a comparison: what has not ended after 20 s is stopped, and tried again by the controller that comes next",
  ]);
});

it("where nothing is in hand that is said", () => {
  expect(sayWaits([createWorker(buildQueue("demo"), 0)], "demo")).toBe("this controller ends: nothing is in hand");
});

it("where one fails, the others end first: what they have in hand is done under the lease (R34)", async () => {
  const order: string[] = [];
  let endSlow = (): void => undefined;
  const slow = createWorker(controlQueue("demo"), 1);
  const slowRun = new Promise<void>((resolve) => (endSlow = resolve));
  Object.assign(slow, {
    run: () => slowRun.then(() => void order.push("what ran has ended")),
    shutdown: () => {
      order.push("told to end");
      setImmediate(endSlow);
    },
  });
  const failing = createWorker(buildQueue("demo"), 0);
  Object.assign(failing, { run: () => Promise.reject(new Error("Temporal is gone")), getState: () => "FAILED" });
  const running = runWorkers([slow, failing], new AbortController().signal).catch((error: unknown) => {
    order.push(String(error));
  });
  await running;
  expect(order).toEqual(["told to end", "what ran has ended", "Error: Temporal is gone"]);
});
