import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listConditions } from "../../src/store/conditions.ts";
import { openFlowMesh, type FlowMesh } from "./support/flow-mesh.ts";
import { seedAssignment, seedBuild, seedNodes } from "./support/seed-mesh.ts";
import { waitUntil } from "./support/wait-until.ts";

/** What PostgreSQL forbids an activity is not retried for ever in silence (R33, R41). */
describe("a push whose writes the records refuse", () => {
  let flow: FlowMesh;

  beforeEach(async () => {
    flow = await openFlowMesh();
    await seedNodes(flow, ["node-a"]);
    await seedBuild(flow, "app", 1);
    await seedAssignment(flow, "node-a", "app");
  });

  afterEach(() => flow.close());

  const conditions = () => listConditions(flow.db, flow.mesh);

  it.each([
    {
      what: "its role lacks a right",
      activity: "tell",
      breaks: "revoke insert on declaration from mesh_controller",
      mends: "grant insert on declaration to mesh_controller",
      says: /refuse tell to mesh_controller: .*permission denied for table declaration/,
    },
    {
      what: "a column is not there yet",
      activity: "openPush",
      breaks: "alter table push rename column why to reason",
      mends: "alter table push rename column reason to why",
      says: /refuse openPush to mesh_controller: the tables are not those of this version.*"why"/,
    },
  ])(
    "waits where $what, says so at once, and goes on when that is mended",
    async ({ activity, breaks, mends, says }) => {
      await flow.db.query(breaks);
      const ended = flow.push(["node-a"]);
      await waitUntil("the refusal is said again", async () => ((await conditions())[0]?.count ?? 0) > 1);
      expect(await conditions()).toMatchObject([
        {
          code: "records-refuse",
          subject: activity,
          urgent: true,
          message: expect.stringMatching(says),
          remedy: expect.stringMatching(/mesh database roles --sql/),
        },
      ]);
      await flow.db.query(mends);
      expect((await ended).result.outcome).toBe("settled");
      expect(await conditions()).toEqual([]);
    },
  );
});
