import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pushWorkflowId } from "../../src/decide/ids.ts";
import { listSends } from "../../src/store/declarations.ts";
import { getPush, listTold, openPush, type PushRecord } from "../../src/store/pushes.ts";
import type { Watch } from "../../src/worker/keep-looking.ts";
import { resumePushes } from "../../src/worker/resume-pushes.ts";
import { openFlowMesh, type FlowMesh } from "./support/flow-mesh.ts";
import { seedAssignment, seedBuild, seedNodes } from "./support/seed-mesh.ts";
import { waitUntil } from "./support/wait-until.ts";

/** A push that the records have as open, and of which Temporal knows nothing, or not what it should (R50, case 43). */
describe("a push that Temporal lost", () => {
  let flow: FlowMesh;
  let resumer: Watch | null = null;

  beforeEach(async () => {
    flow = await openFlowMesh();
    await seedNodes(flow, ["node-a", "node-b"]);
    await seedBuild(flow, "app", 1);
    await seedAssignment(flow, "node-a", "app");
  });

  afterEach(async () => {
    await resumer?.stop();
    await flow.close();
  });

  function watch(): void {
    const { db, mesh, controller } = flow;
    const log = pino({ level: "silent" });
    resumer = resumePushes({ db, mesh, controller, mayAct: () => true, log, everyMs: 200 });
  }

  function open(id: string, more: Partial<PushRecord> = {}): Promise<boolean> {
    const push = { id, kind: "named" as const, named: ["node-a"], requestedBy: "somebody", why: "lost", ...more };
    return openPush(flow.db, flow.mesh, push);
  }

  async function waitForEnd(id: string): Promise<PushRecord> {
    let push: PushRecord | null = null;
    await waitUntil(`push ${id} ends`, async () => {
      push = await getPush(flow.db, flow.mesh, id);
      return push?.endedAt != null;
    });
    if (push === null) throw new Error(`there is no push ${id}`);
    return push;
  }

  it("is begun again from the records, and tells whom it named", async () => {
    await open("forgotten");
    watch();
    expect((await waitForEnd("forgotten")).result?.outcome).toBe("settled");
    expect(await listTold(flow.db, flow.mesh, "forgotten")).toMatchObject([{ node: "node-a", outcome: "sent" }]);
  });

  it("is begun again as it was asked for, also where it may remove what a node runs", async () => {
    await seedBuild(flow, "page", 1);
    await seedAssignment(flow, "node-a", "page");
    await flow.push(["node-a"]);
    await flow.db.query("delete from assignment where mesh = $1", [flow.mesh]);
    watch();
    await open("as-before");
    expect((await waitForEnd("as-before")).result?.outcome).toBe("refused");
    await open("confirmed", { confirmRemoval: true });
    expect((await waitForEnd("confirmed")).result?.outcome).toBe("settled");
  });

  it("tells nobody again what it had told, when it was terminated half-way", async () => {
    const { result } = await flow.push(["node-a"]);
    const sends = await listSends(flow.db, flow.mesh, "node-a", 9);
    await flow.db.query("update push set ended_at = null, result = null where id = $1", [result.push]);
    watch();
    expect((await waitForEnd(result.push)).result).toMatchObject({ outcome: "settled", sent: 1 });
    expect(await listSends(flow.db, flow.mesh, "node-a", 9)).toEqual(sends);
  });

  it("is recorded as ended where it failed for good, and not begun again", async () => {
    const order = { mesh: flow.mesh, kind: "named", requestedBy: "test", why: "", confirmRemoval: false } as const;
    const started = await flow.controller.startPush({ ...order, named: ["nobody"] });
    const { pushId } = started;
    await expect(started.result()).rejects.toThrow("there is no node nobody");
    await open(pushId);
    watch();
    expect((await waitForEnd(pushId)).result).toMatchObject({ outcome: "failed", sent: 0 });
    const { status } = await flow.client.workflow.getHandle(pushWorkflowId(flow.mesh, pushId)).describe();
    expect(status.name).toBe("FAILED");
  });
});
