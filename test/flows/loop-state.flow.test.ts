import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { Client, Connection } from "@temporalio/client";
import { bundleWorkflowCode, NativeConnection, Worker } from "@temporalio/worker";
import { expect, inject, it, onTestFinished } from "vitest";
import { controlQueue, reconcileWorkflowId } from "../../src/decide/ids.ts";
import { createControllerClient } from "../../src/worker/client.ts";
import { bundleWorkflows } from "../support/workflow-bundle.ts";
import { waitUntil } from "./support/wait-until.ts";

it("a loop that is not there, one whose task fails each time, and one that goes on are three states (R33)", async () => {
  const mesh = `loop-${randomBytes(4).toString("hex")}`;
  const native = await NativeConnection.connect({ address: inject("temporalAddress") });
  const client = new Client({ connection: await Connection.connect({ address: inject("temporalAddress") }) });
  const controller = createControllerClient(client, async () => undefined);
  onTestFinished(async () => {
    await client.workflow.getHandle(reconcileWorkflowId(mesh)).terminate();
    await client.connection.close();
    await native.close();
  });
  const runWith = async (workflowBundle: { code: string }): Promise<() => Promise<void>> => {
    const activities = { compareSources: async () => ({ wave: null }), planNextSteps: async () => ({ steps: [] }) };
    const worker = await Worker.create({
      connection: native,
      taskQueue: controlQueue(mesh),
      workflowBundle,
      activities,
    });
    const running = worker.run();
    return async () => {
      worker.shutdown();
      await running;
    };
  };
  expect(await controller.readLoop(mesh)).toEqual({ kind: "absent" });
  const failing = fileURLToPath(new URL("support/loop-that-fails.ts", import.meta.url));
  const stopBad = await runWith(await bundleWorkflowCode({ workflowsPath: failing }));
  await controller.wakeReconcile({ mesh, why: "a test" });
  await waitUntil("its task failed", async () => (await controller.readLoop(mesh)).kind === "failing");
  await stopBad();
  const stopGood = await runWith(await bundleWorkflows());
  await waitUntil("it goes on", async () => (await controller.readLoop(mesh)).kind === "goes-on", 60_000);
  await stopGood();
});
