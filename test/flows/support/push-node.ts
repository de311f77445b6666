import type { PushResult } from "../../../src/core/push.ts";
import type { ReconcileMesh } from "./reconcile-mesh.ts";

/** A person's push of one node, until it ended. */
export async function pushNode({ controller, mesh }: ReconcileMesh, node: string): Promise<PushResult> {
  const started = await controller.startPush({
    mesh,
    kind: "named",
    named: [node],
    requestedBy: "test",
    why: "",
    confirmRemoval: false,
  });
  return started.result();
}
