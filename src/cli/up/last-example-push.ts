import { getPush, listPushes } from "../../store/pushes.ts";
import { pushWorkflowId } from "../../decide/ids.ts";
import { workflowPage } from "../controller.ts";
import type { MeshConnection } from "../mesh-connection.ts";
import { readPush } from "../push/read-push.ts";
import type { PushDocument } from "../text/push-text.ts";

const looked = 200;

/** What the push of node-a did at an earlier start, out of the records; null where it is no longer among the newest. */
export async function readExamplePush(connection: MeshConnection): Promise<PushDocument | null> {
  const { db, mesh, setup } = connection;
  const pushes = await listPushes(db, mesh, looked);
  const found = pushes.findLast((push) => push.kind === "named" && push.named.includes("node-a"));
  const record = found === undefined ? null : await getPush(db, mesh, found.id);
  if (record === null) return null;
  const { nodes } = await readPush(db, mesh, record.id, setup.settings.silentAfterMs);
  const tookMs = record.endedAt === null ? null : Date.parse(record.endedAt) - Date.parse(record.openedAt);
  return {
    push: record.id,
    outcome: record.result?.outcome ?? "under-way",
    rounds: record.result?.rounds ?? 0,
    message: "",
    moving: record.result?.moving ?? [],
    settledMs: record.result?.outcome === "settled" ? tookMs : null,
    appliedMs: null,
    nodes,
    ui: workflowPage(setup.temporal, pushWorkflowId(mesh, record.id)),
  };
}
