import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { defaultPayloadConverter } from "@temporalio/common";
import { reconcileWorkflowId } from "../../src/decide/ids.ts";
import type { ReconcileInput } from "../../src/workflows/messages.ts";
import { readCpuSeconds } from "../report/machine.ts";
import type { BenchMesh } from "./bench-mesh.ts";

/** Events of every workflow of the mesh that the server still knows, running or ended. */
export async function countAllEvents({ client, connection }: BenchMesh): Promise<number> {
  let events = 0;
  for await (const found of client.workflow.list({ query: `MeshName = "${connection.mesh}"` })) {
    const { historyLength } = await client.workflow.getHandle(found.workflowId, found.runId).describe();
    events += historyLength;
  }
  return events;
}

/** How often reconcile looks though nobody asked: what it was really started with. */
export async function readSafetyIntervalMs({ client, connection }: BenchMesh): Promise<number> {
  const { events } = await client.workflow.getHandle(reconcileWorkflowId(connection.mesh)).fetchHistory();
  const payload = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
  if (payload == null) throw new Error("reconcile was started without an input");
  return defaultPayloadConverter.fromPayload<ReconcileInput>(payload).safetyIntervalMs;
}

/** CPU seconds by process: the controller and the hosts. */
export async function readCpu({ bed, hostPids }: BenchMesh): Promise<ReadonlyMap<string, number>> {
  const file: unknown = JSON.parse(await readFile(join(bed.state, "run", "controller.json"), "utf8"));
  const { identity } = file as { identity: { pid: number } };
  const cpu = new Map([["controller", await readCpuSeconds(identity.pid)]]);
  for (const [node, pid] of hostPids) cpu.set(node, await readCpuSeconds(pid));
  return cpu;
}
