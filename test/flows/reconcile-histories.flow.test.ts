import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { historyToJSON } from "@temporalio/common/lib/proto-utils.js";
import { Worker } from "@temporalio/worker";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pushWorkflowId, reconcileWorkflowId, roundWorkflowId } from "../../src/decide/ids.ts";
import { bundleWorkflows } from "../support/workflow-bundle.ts";
import { filesModule } from "./support/module-files.ts";
import { pushNode } from "./support/push-node.ts";
import { openReconcileMesh, type ReconcileMesh } from "./support/reconcile-mesh.ts";
import { seedAssignment, seedNodes } from "./support/seed-mesh.ts";

const provider = `provides:
  - kind: postgresql
    port: "\${config.port}"
    admin: "127.0.0.1:\${config.port}"
    adminUser: admin
    adminPasswordFile: "\${data}/password"
config: { port: "5433" }
`;
const consumer = `upgrade: auto\nrequires: [{ name: database, kind: postgresql }]\n`;

let flow: ReconcileMesh;

beforeEach(async () => {
  flow = await openReconcileMesh();
});

afterEach(async () => {
  await flow.close();
});

/** Replays the history with the workflows of now; kept in `test/histories` where the run was asked to. */
async function check(name: string, workflowId: string): Promise<void> {
  const history = await flow.client.workflow.getHandle(workflowId).fetchHistory();
  await Worker.runReplayHistory({ workflowBundle: await bundleWorkflows() }, history, workflowId);
  if (process.env["MESH_RECORD_HISTORIES"] !== "yes") return;
  const text = historyToJSON(history).replaceAll(/"identity": "[^"]*"/g, '"identity": "a worker of the recording"');
  await writeFile(fileURLToPath(new URL(`../histories/${name}.json`, import.meta.url)), `${text}\n`);
}

async function idOfBuild(module: string): Promise<string> {
  for await (const found of flow.client.workflow.list({
    query: `MeshModules = "${module}" AND WorkflowType = "build"`,
  }))
    if (found.workflowId.startsWith(`build/${flow.mesh}/`)) return found.workflowId;
  throw new Error(`no build of ${module} is known to the server yet`);
}

describe("histories of every workflow", () => {
  it("replay with the code that made them (R47)", async () => {
    await flow.origin.commit({ ...filesModule("postgres", "one", provider), ...filesModule("app", "one", consumer) });
    await flow.addModules("postgres", "app");
    await flow.look("the first commit");
    await expect.poll(() => idOfBuild("app").catch(() => null), { timeout: 10_000 }).not.toBeNull();
    await check("build", await idOfBuild("app"));

    await seedNodes(flow, ["node-a", "node-b"]);
    await seedAssignment(flow, "node-a", "app");
    await seedAssignment(flow, "node-b", "postgres");
    const refused = await pushNode(flow, "node-a");
    expect(refused).toMatchObject({ outcome: "refused", notWorkedOut: 1 });
    await check("push-not-worked-out", pushWorkflowId(flow.mesh, refused.push));

    await pushNode(flow, "node-b");
    const settled = await pushNode(flow, "node-a");
    expect(settled).toMatchObject({ outcome: "settled", rounds: 2, sent: 2 });
    await check("push-with-cascade", pushWorkflowId(flow.mesh, settled.push));
    await check("round-named", roundWorkflowId(flow.mesh, settled.push, 0));
    await check("round-of-cascade", roundWorkflowId(flow.mesh, settled.push, 1));

    await flow.origin.commit(filesModule("app", "two", consumer));
    await flow.look("the second commit");
    await check("reconcile", reconcileWorkflowId(flow.mesh));
  });
});
