import type { Client } from "@temporalio/client";
import { roundWorkflowId, pushWorkflowId } from "../../src/decide/ids.ts";

export interface Counted {
  readonly events: number;
  /** Workflow tasks: each costs a way to the server and back. */
  readonly tasks: number;
}

export interface PushHistory {
  readonly push: Counted;
  readonly rounds: readonly Counted[];
  /** The push and its rounds together. */
  readonly events: number;
  readonly tasks: number;
}

export async function countPushHistory(
  client: Client,
  mesh: string,
  push: string,
  rounds: number,
): Promise<PushHistory> {
  const own = await countHistory(client, pushWorkflowId(mesh, push));
  const counted: Counted[] = [];
  for (let round = 0; round < rounds; round += 1)
    counted.push(await countHistory(client, roundWorkflowId(mesh, push, round)));
  const all = [own, ...counted];
  return { push: own, rounds: counted, events: sum(all, "events"), tasks: sum(all, "tasks") };
}

export async function countHistory(client: Client, workflowId: string): Promise<Counted> {
  const history = await client.workflow.getHandle(workflowId).fetchHistory();
  const events = history.events ?? [];
  const tasks = events.filter((event) => event.workflowTaskStartedEventAttributes != null).length;
  return { events: events.length, tasks };
}

function sum(all: readonly Counted[], what: keyof Counted): number {
  return all.reduce((total, one) => total + one[what], 0);
}
