import { randomBytes } from "node:crypto";
import { Client, Connection } from "@temporalio/client";
import { ApplicationFailure } from "@temporalio/common";
import { DefaultLogger, NativeConnection, Runtime, Worker } from "@temporalio/worker";
import { inject, describe, expect, it, onTestFinished } from "vitest";
import type { BuildResult } from "../../src/activities/build-result.ts";
import type { ComparisonRequest, NextStep, StepPlan, StepRequest } from "../../src/activities/control-types.ts";
import { buildQueue, buildWorkflowId, controlQueue, reconcileWorkflowId } from "../../src/decide/ids.ts";
import { createControllerClient } from "../../src/worker/client.ts";
import type { ReconcileInput } from "../../src/workflows/messages.ts";
import { bundleWorkflows } from "../support/workflow-bundle.ts";
import { waitUntil } from "./support/wait-until.ts";

// Tests print their own verdicts; of the failure that is wanted here nothing.
Runtime.install({
  logger: new DefaultLogger("ERROR", () => undefined),
  shutdownSignals: [],
  telemetryOptions: { logging: { filter: { core: "ERROR", other: "ERROR" }, forward: {} } },
});

/** The loop on a real server, with activities that a test writes: what ends when is the test's own. */
async function runLoop(activities: {
  readonly planNextSteps: (request: StepRequest) => Promise<StepPlan>;
  readonly buildModule: (request: { module: string }) => Promise<BuildResult>;
  readonly compareSources?: (request: ComparisonRequest) => Promise<{ wave: string | null }>;
  readonly closeWave?: (request: { wave: string }) => Promise<void>;
  readonly noteFailedStep?: (step: { key: string; message: string }) => Promise<void>;
}): Promise<{ mesh: string; client: Client; wake(why: string): Promise<void> }> {
  const mesh = `steps-${randomBytes(4).toString("hex")}`;
  const { buildModule, ...control } = activities;
  const connection = await NativeConnection.connect({ address: inject("temporalAddress") });
  const shared = { connection, namespace: "default" } as const;
  const workers = [
    await Worker.create({
      ...shared,
      taskQueue: controlQueue(mesh),
      workflowBundle: await bundleWorkflows(),
      activities: {
        compareSources: async () => ({ wave: null }),
        closeWave: async () => undefined,
        noteFailedStep: async () => undefined,
        ...control,
      },
    }),
    await Worker.create({ ...shared, taskQueue: buildQueue(mesh), activities: { buildModule } }),
  ];
  const runs = workers.map((worker) => worker.run());
  const client = new Client({ connection: await Connection.connect({ address: inject("temporalAddress") }) });
  onTestFinished(async () => {
    await client.workflow.getHandle(reconcileWorkflowId(mesh)).terminate();
    for (const worker of workers) worker.shutdown();
    await Promise.all(runs);
    await client.connection.close();
    await connection.close();
  });
  const controller = createControllerClient(client, async () => undefined);
  return { mesh, client, wake: (why) => controller.wakeReconcile({ mesh, why }) };
}

function buildStep(module: string): Extract<NextStep, { kind: "build" }> {
  return { kind: "build", key: `build ${module}@sha256:00`, module, inputs: "sha256:00", why: "a test asks" };
}

function fit(module: string): BuildResult {
  return { module, state: "fit", artifact: null, message: "" };
}

describe("the steps of a round", () => {
  it("are planned again when a build ended while a plan was made (R9)", async () => {
    const plans: string[][] = [];
    const ended = new Set<string>();
    let slowMayEnd = (): void => undefined;
    const slow = new Promise<void>((resolve) => {
      slowMayEnd = resolve;
    });
    const loop = await runLoop({
      async planNextSteps({ running }) {
        plans.push([...running]);
        if (plans.length === 1) return { steps: [buildStep("quick"), buildStep("slow")], summary: "two" };
        if (plans.length === 2) {
          // This plan still sees slow running; it ends before the plan is back.
          slowMayEnd();
          await waitUntil("slow ended", async () => ended.has("slow"));
        }
        return { steps: [], summary: "none" };
      },
      async buildModule({ module }) {
        if (module === "slow") await slow;
        ended.add(module);
        return fit(module);
      },
    });
    await loop.wake("a test");
    await waitUntil("a plan that knows of both ends", async () => plans.length >= 3 && plans.at(-1)?.length === 0);
  });

  it("go on when one fails for a reason nobody knows, and the next look takes it again (R42)", async () => {
    const noted: string[] = [];
    let attempts = 0;
    let isGood = false;
    const loop = await runLoop({
      // As the product's plan: what runs, and what failed in this look, is not a next step.
      planNextSteps: async ({ done, running }) => ({
        steps: [buildStep("bad"), ...(isGood ? [] : [buildStep("good")])].filter(
          (step) => !done.includes(step.key) && !running.includes(step.key),
        ),
        summary: "",
      }),
      async buildModule({ module }) {
        if (module === "good") {
          isGood = true;
          return fit(module);
        }
        attempts += 1;
        throw ApplicationFailure.nonRetryable("a mistake of ours");
      },
      noteFailedStep: async ({ key, message }) => void noted.push(`${key}: ${message}`),
    });
    await loop.wake("first");
    await waitUntil("it is noted", async () => noted.length === 1);
    await loop.wake("second");
    await waitUntil("it was taken again", async () => noted.length === 2);
    expect(noted[0]).toBe("build bad@sha256:00: a mistake of ours");
    expect(attempts).toBe(2);
  });
});

describe("a step that a person cancels", () => {
  it("is noted as one that failed; the loop goes on, and takes it again at the next look (R33, R50)", async () => {
    const noted: string[] = [];
    const begun: string[] = [];
    const built = new Set<string>();
    let mayEnd = (): void => undefined;
    const ending = new Promise<void>((resolve) => {
      mayEnd = resolve;
    });
    const loop = await runLoop({
      planNextSteps: async ({ done, running }) => ({
        steps: [buildStep("unwanted"), buildStep("other")].filter(
          ({ key, module }) => !built.has(module) && !done.includes(key) && !running.includes(key),
        ),
        summary: "",
      }),
      async buildModule({ module }) {
        begun.push(module);
        if (noted.length === 0) await ending;
        built.add(module);
        return fit(module);
      },
      noteFailedStep: async ({ key, message }) => void noted.push(`${key}: ${message}`),
    });
    await loop.wake("first");
    await waitUntil("both are being built", async () => begun.length === 2);
    await loop.client.workflow.getHandle(buildWorkflowId(loop.mesh, "unwanted", "sha256:00")).cancel();
    await waitUntil("it is noted", async () => noted.length === 1);
    expect(noted[0]).toMatch(/^build unwanted@sha256:00: .*cancelled/i);
    mayEnd();
    await waitUntil("the other one is built", async () => built.has("other"));
    built.delete("unwanted");
    await loop.wake("second");
    await waitUntil("it was taken again", async () => begun.filter((module) => module === "unwanted").length === 2);
  });
});

describe("a wave that is longer than one run's history", () => {
  it("goes on in the next run: all is built once, never more at a time than the window, and closed once (R9)", async () => {
    const names = Array.from({ length: 90 }, (_, at) => `m${at}`);
    const built: string[] = [];
    const waves: (string | null)[] = [];
    const closed: string[] = [];
    let most = 0;
    const loop = await runLoop({
      async compareSources(request) {
        waves.push(request.wave);
        return { wave: "w1" };
      },
      async planNextSteps({ running, done, room = 999 }) {
        most = Math.max(most, running.length);
        expect(done).toEqual([]);
        const left = names
          .map(buildStep)
          .filter(({ key, module }) => !built.includes(module) && !running.includes(key));
        return { steps: left.slice(0, room), summary: `${built.length} of ${names.length}` };
      },
      async buildModule({ module }) {
        built.push(module);
        return fit(module);
      },
      closeWave: async ({ wave }) => void closed.push(wave),
    });
    const input: ReconcileInput = {
      schema: 1,
      mesh: loop.mesh,
      safetyIntervalMs: 3_600_000,
      roundsPerRun: 200,
      pending: [{ why: "a test" }],
      stepsPerRun: 5,
    };
    await loop.client.workflow.start("reconcile", {
      taskQueue: controlQueue(loop.mesh),
      workflowId: reconcileWorkflowId(loop.mesh),
      args: [input],
    });
    await waitUntil("the wave is closed", async () => closed.length > 0, 100_000);
    expect(built.toSorted()).toEqual(names.toSorted());
    expect(closed).toEqual(["w1"]);
    // Each run looks once at its beginning, and the next ones know the wave.
    expect(waves.length).toBeGreaterThan(1);
    expect(new Set(waves.slice(1))).toEqual(new Set(["w1"]));
    expect(most).toBeLessThanOrEqual(64);
  });
});

describe("a look that fails for good", () => {
  it("is said, and the next one is made (R42)", async () => {
    const noted: string[] = [];
    let looks = 0;
    const loop = await runLoop({
      compareSources: async () => {
        looks += 1;
        if (looks === 1) throw ApplicationFailure.nonRetryable("this address is refused", "InputError");
        return { wave: null };
      },
      planNextSteps: async () => ({ steps: [], summary: "" }),
      buildModule: async ({ module }) => fit(module),
      noteFailedStep: async ({ key, message }) => void noted.push(`${key}: ${message}`),
    });
    await loop.wake("first");
    await waitUntil("it is noted", async () => noted.length === 1);
    await loop.wake("second");
    await waitUntil("it looks again", async () => looks === 2);
    expect(noted).toEqual(["look: this address is refused"]);
  });
});
