import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openArtifactStore } from "../../src/build/artifact-store.ts";
import { hashEnrolmentSecret } from "../../src/link/enrolment-token.ts";
import { incarnationOf } from "../../src/link/keys.ts";
import { generateSealIdentity } from "../../src/link/sealing.ts";
import { listConditions } from "../../src/store/conditions.ts";
import { createToken, useToken } from "../../src/store/enrolment.ts";
import { createDeclarationWakes, createGatewayRecords } from "../../src/worker/gateway-records.ts";
import { type RefusedCalls, watchRefusedCalls } from "../../src/worker/watch-refused-calls.ts";
import { hostKey } from "../link/support/fixtures.ts";
import { raiseGateway, type Raised } from "../link/support/raise-gateway.ts";
import { addNodes, grant, mesh, openRecords, sendOne, type Records, until } from "../store/open-records.ts";

let records: Records;
let raised: Raised;
let calls: RefusedCalls;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mesh-refused-calls-"));
  records = await openRecords();
  await addNodes(records.db, "node-a");
  const keys = { sign: hostKey.publicKey, seal: (await generateSealIdentity()).recipient };
  const hash = hashEnrolmentSecret("node-a");
  await createToken(records.db, mesh, { node: "node-a", hash, livesMs: 60_000 });
  await useToken(records.db, mesh, { node: "node-a", hash, keys, incarnation: incarnationOf(hostKey.publicKey) });
  await sendOne(records.db, await grant(records.db), "node-a");
  const log = pino({ level: "silent" });
  calls = watchRefusedCalls({ db: records.db, mesh, log, who: "mesh_gateway" });
  raised = await raiseGateway({
    mesh,
    records: createGatewayRecords({
      db: records.as("gateway"),
      mesh,
      artifacts: await openArtifactStore(folder),
      trust: { rootBytes: Buffer.from("root"), renew: (one) => one, dropEpoch: (one) => one },
      wakes: createDeclarationWakes(),
    }),
    onRecords: calls.note,
  });
});

afterAll(async () => {
  await raised.close();
  await calls.stop();
  await records.close();
  await rm(folder, { recursive: true, force: true });
});

const path = "/v1/nodes/node-a/declaration?after=0.0&wait=0";
const ask = () => raised.ask("GET", path, raised.prove("node-a", hostKey, "GET", path));
const conditions = (count: number) =>
  until(async () => {
    const open = await listConditions(records.db, mesh);
    return open.length === count ? open : null;
  });

describe("what the records refuse to a caller of the gateway (R33, R41)", () => {
  it.each([
    [
      "revoke select on declaration from mesh_gateway",
      "grant select on declaration to mesh_gateway",
      /permission denied/,
    ],
    ["alter table declaration rename to old", "alter table old rename to declaration", /not those of this version/],
    [
      "alter table declaration rename column number to old",
      "alter table declaration rename column old to number",
      /not those of this version/,
    ],
  ])("is a 503 and an urgent condition until it comes through again: %s", async (breaks, mends, says) => {
    expect((await ask()).status).toBeLessThan(300);
    await records.db.query(breaks);
    for (let count = 0; count < 3; count += 1) {
      const refused = await ask();
      expect([refused.status, refused.body.toString()]).toEqual([503, '{"refused":"the records refuse it"}']);
      expect(refused.headers["retry-after"]).toBe("60");
    }
    expect(await conditions(1)).toMatchObject([
      {
        code: "records-refuse",
        subject: "GET /v1/nodes/:node/declaration",
        // However many call: it is written now and then.
        count: 1,
        urgent: true,
        message: expect.stringMatching(says),
        remedy: expect.stringMatching(/mesh database roles --sql/),
      },
    ]);
    await records.db.query(mends);
    expect((await ask()).status).toBeLessThan(300);
    await conditions(0);
  });
});
