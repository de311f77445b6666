import { pino } from "pino";
import { afterEach, beforeEach, expect, it } from "vitest";
import { answerForError } from "../../src/cli/answer-for-error.ts";
import { pushWorkflowId } from "../../src/decide/ids.ts";
import { listConditions } from "../../src/store/conditions.ts";
import { listSends } from "../../src/store/declarations.ts";
import { getPush } from "../../src/store/pushes.ts";
import { stopMesh } from "../../src/store/stop.ts";
import type { Watch } from "../../src/worker/keep-looking.ts";
import { resumePushes } from "../../src/worker/resume-pushes.ts";
import { openFlowMesh, type FlowMesh } from "./support/flow-mesh.ts";
import { seedAssignment, seedBuild, seedNodes } from "./support/seed-mesh.ts";
import { waitUntil } from "./support/wait-until.ts";

let flow: FlowMesh;
let resumer: Watch | null = null;
beforeEach(async () => {
  flow = await openFlowMesh();
  await seedNodes(flow, ["node-a"]);
  await seedBuild(flow, "app", 1);
  await seedAssignment(flow, "node-a", "app");
});
afterEach(async () => {
  await resumer?.stop();
  await flow.close();
});

it("a push that a person cancelled in Temporal is told so to who waits for it, and is no bug of mesh (R48)", async () => {
  const { db, mesh, controller, client } = flow;
  await db.query("revoke insert on declaration from mesh_controller");
  const order = { mesh, kind: "named", requestedBy: "test", why: "", confirmRemoval: false } as const;
  const started = await controller.startPush({ ...order, named: ["node-a"] });
  const ended = started.result().then(
    () => null,
    (error: unknown) => answerForError(error),
  );
  await waitUntil("it is opened", async () => (await getPush(db, mesh, started.pushId)) !== null);
  await client.workflow.getHandle(pushWorkflowId(mesh, started.pushId)).cancel();
  await db.query("grant insert on declaration to mesh_controller");
  expect(await ended).toMatchObject({
    kind: "refused",
    code: 2,
    message: expect.stringMatching(/^the push was cancelled in Temporal: /),
    next: expect.stringMatching(/^mesh status .*; mesh push --behind /),
  });
});

it("a mesh that is stopped in the middle of a push sends nothing of it any more, and the push ends (R35)", async () => {
  const { db, mesh, controller } = flow;
  // Opened, with its targets, and kept from sending: the middle.
  await db.query("revoke insert on declaration from mesh_controller");
  const order = { mesh, kind: "named", requestedBy: "test", why: "", confirmRemoval: false } as const;
  const started = await controller.startPush({ ...order, named: ["node-a"] });
  const ended = started.result().then(
    () => "it settled",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  const refused = async (): Promise<boolean> =>
    (await listConditions(db, mesh)).some(({ subject }) => subject === "tell");
  await waitUntil("it is kept from sending", refused);
  await stopMesh(db, mesh, { reason: "hosts-ahead", above: { epoch: 9, number: 9 } });
  await db.query("grant insert on declaration to mesh_controller");
  expect(await ended).toMatch(/is stopped/);
  expect(await listSends(db, mesh, "node-a", 9)).toEqual([]);
  resumer = resumePushes({ db, mesh, controller, mayAct: () => true, log: pino({ level: "silent" }), everyMs: 200 });
  await waitUntil("it is recorded as ended", async () => (await getPush(db, mesh, started.pushId))?.endedAt != null);
  expect((await getPush(db, mesh, started.pushId))?.result).toMatchObject({ outcome: "failed", sent: 0 });
  expect(await listSends(db, mesh, "node-a", 9)).toEqual([]);
});
