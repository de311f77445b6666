import { Client, Connection } from "@temporalio/client";
import { pushWorkflowId } from "../../../src/decide/ids.ts";
import { waitFor } from "../../beds/support/wait-for.ts";
import type { FaultBed } from "../mesh/bed.ts";
import { handOver } from "../mesh/hand-over.ts";
import { pushShop, waitUntilEnded, type PushUnderWay } from "../mesh/workload.ts";
import type { Scenario } from "./scenario.ts";

const group = "temporal";
const held = "gate:before";

/** What can become of Temporal while a push is half-way. Its records are ours: the push goes on, or begins again (case 43). */
export const temporalScenarios: readonly Scenario[] = [
  {
    name: "temporal-restarts",
    what: "kill -9 of Temporal between the baseline and the first send, and a start on what it had (R50, case 43)",
    group,
    run: (bed) =>
      failHalfWay(bed, async () => {
        await bed.servers.killTemporal();
        await bed.servers.startTemporal();
      }),
  },
  {
    name: "temporal-history-lost",
    what: "the push is terminated and deleted in Temporal between the baseline and the first send (R50, case 43)",
    group,
    run: (bed) => failHalfWay(bed, (push) => forget(bed, push)),
  },
  {
    name: "temporal-database-lost",
    what: "Temporal loses all that it knew between the baseline and the first send (R50, case 43)",
    group,
    run: (bed) =>
      failHalfWay(bed, async () => {
        await bed.servers.killTemporal();
        await bed.servers.loseTemporal();
        await bed.servers.startTemporal();
      }),
  },
];

async function failHalfWay(bed: FaultBed, fail: (push: PushUnderWay) => Promise<void>): Promise<void> {
  const controller = await handOver(bed, { failpoints: `${held}=hold` });
  const push = await pushShop(bed);
  await controller.hears(`failpoint ${held}: hold`);
  await fail(push);
  if (controller.isAlive) controller.signal("SIGUSR2");
  await waitUntilEnded(bed, push);
  await push.answered;
}

async function forget(bed: FaultBed, push: PushUnderWay): Promise<void> {
  const connection = await Connection.connect({ address: bed.servers.temporalAddress });
  try {
    const client = new Client({ connection });
    const [mesh] = await bed.read<{ name: string }>("select name from mesh");
    const workflowId = pushWorkflowId(mesh?.name ?? "", push.id);
    await client.workflow.getHandle(workflowId).terminate("its history is lost, by a run of faults");
    const execution = { workflowId };
    await connection.workflowService.deleteWorkflowExecution({ namespace: "default", workflowExecution: execution });
    await waitFor(
      "Temporal knows nothing of the push",
      async () => {
        try {
          const { status } = await client.workflow.getHandle(workflowId).describe();
          return status.name === "RUNNING" ? true : null;
        } catch (error) {
          if (error instanceof Error && error.name === "WorkflowNotFoundError") return true;
          throw error;
        }
      },
      60_000,
    );
  } finally {
    await connection.close();
  }
}
