import { pino } from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { listConditions } from "../../src/store/conditions.ts";
import { type StrangerWatch, watchStrangers } from "../../src/worker/watch-strangers.ts";
import { addNodes, mesh, openRecords, type Records, until } from "../store/open-records.ts";

let records: Records;
let watch: StrangerWatch;

beforeAll(async () => {
  records = await openRecords();
  await addNodes(records.db, "node-a", "node-b");
});
afterEach(async () => {
  await watch.stop();
  await records.db.query("delete from condition");
});
afterAll(() => records.close());

function start(quietMs?: number): void {
  const log = pino({ level: "silent" });
  watch = watchStrangers({
    db: records.db,
    mesh,
    log,
    everyMs: 10,
    ...(quietMs === undefined ? {} : { quietMs }),
  });
}

const seen = () => listConditions(records.db, mesh);
const written = (count: number) => until(async () => ((await seen()).length === count ? seen() : null));

describe("who calls as a host and is not known (R33, R35)", () => {
  it("is said of the node that it says it is, with what to do", async () => {
    start();
    watch.note({ node: "node-a", why: "not-enrolled" });
    watch.note({ node: "node-a", why: "not-enrolled" });
    watch.note({ node: "node-b", why: "other-key" });
    expect(await written(2)).toMatchObject([
      {
        code: "unknown-host",
        subject: "node-a",
        urgent: false,
        message: expect.stringMatching(/as node-a, and no host is enrolled as it; 2 calls/),
        remedy: expect.stringMatching(/mesh host token node-a.*mesh host enrol with the --dir that it has/),
      },
      { subject: "node-b", message: expect.stringMatching(/with another key than its enrolled host's; one call/) },
    ]);
  });

  it("is over once the node's host was enrolled since, and said again where that stranger still calls", async () => {
    start();
    watch.note({ node: "node-a", why: "other-key" });
    await written(1);
    await records.db.query("update node set enrolled_at = now() where name = 'node-a'");
    await written(0);
    watch.note({ node: "node-a", why: "other-key" });
    await written(1);
  });

  it("with a clock that is far off is known, and said as such, until it is refused no more (R33)", async () => {
    start(200);
    watch.note({ node: "node-a", why: "clock", behindMs: 7_200_000 });
    watch.note({ node: "node-b", why: "clock", behindMs: -90_000 });
    expect(await written(2)).toMatchObject([
      {
        code: "host-clock",
        subject: "node-a",
        message: expect.stringMatching(/^the clock of host node-a is 2 h behind the controller's/),
        remedy: expect.stringMatching(/within 1 min/),
      },
      { code: "host-clock", subject: "node-b", message: expect.stringMatching(/1 min ahead of the controller's/) },
    ]);
    await written(0);
  });

  it("was removed: that is said by its name, not that it is a stranger", async () => {
    await records.db.query("insert into removed_node (mesh, name, removed_by) values ($1, 'node-x', 'ann')", [mesh]);
    start();
    watch.note({ node: "node-x", why: "removed" });
    expect(await written(1)).toMatchObject([
      {
        subject: "node-x",
        message: expect.stringMatching(/presents itself as node-x, which was removed from this mesh; it is refused/),
        remedy: expect.stringMatching(/^end the host on that machine/),
      },
    ]);
  });

  it("fills no table, however many names a caller makes up", async () => {
    start();
    for (let name = 0; name < 5_000; name += 1) watch.note({ node: `made-up-${name}`, why: "not-enrolled" });
    const [one] = await written(1);
    expect(one).toMatchObject({ subject: "no node", message: expect.stringMatching(/; 5000 calls of this kind/) });
    expect(one?.remedy).toMatch(/mesh node add made-up-\d+/);
  });

  it("is over when nobody called for a while, also where another controller had said it", async () => {
    start(0);
    watch.note({ node: "node-a", why: "other-key" });
    await records.db.query(
      `insert into condition (mesh, code, subject, message, remedy, urgent, since, last_seen, count)
       values ($1, 'unknown-host', 'node-b', '', '', false, now(), now() - interval '1 hour', 3)`,
      [mesh],
    );
    await written(0);
  });
});
