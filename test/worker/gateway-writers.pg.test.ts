import { createHmac } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openArtifactStore } from "../../src/build/artifact-store.ts";
import { hashEnrolmentSecret, newEnrolmentSecret } from "../../src/link/enrolment-token.ts";
import { findWriter, type IdentityClass, type Write, writers } from "../../src/link/gateway/writers.ts";
import { incarnationOf } from "../../src/link/keys.ts";
import { sealReport } from "../../src/link/report-envelope.ts";
import { generateSealIdentity } from "../../src/link/sealing.ts";
import { createToken, useToken } from "../../src/store/enrolment.ts";
import { createDeclarationWakes, createGatewayRecords } from "../../src/worker/gateway-records.ts";
import { hostKey, makeReport, strangerKey } from "../link/support/fixtures.ts";
import { gatewayPaths } from "../link/support/gateway-paths.ts";
import { raiseGateway, type Raised } from "../link/support/raise-gateway.ts";
import { addNodes, grant, mesh, openRecords, sendOne, type Records } from "../store/open-records.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";

/** Which tables each write may touch, and no others. */
const touched: Readonly<Record<Write, readonly string[]>> = {
  "host-keys": ["node", "enrolment_token"],
  contact: ["node"],
  account: ["account", "node", "provision"],
  claim: ["host_claim", "condition", "mesh"],
  "webhook-delivery": ["webhook_delivery"],
  wake: [],
};

const blob = `sha256:${"a".repeat(64)}`;
const paths = gatewayPaths(blob);

type Caller = { readonly name: string; readonly is: IdentityClass | "nobody"; readonly node?: string };
const callers: readonly Caller[] = [
  { name: "anybody", is: "open" },
  { name: "the host node-a", is: "host", node: "node-a" },
  { name: "the host node-b", is: "host", node: "node-b" },
  { name: "a stranger as node-a", is: "nobody" },
  { name: "somebody with a token", is: "enrolment-token" },
  { name: "the forge", is: "webhook-source" },
  { name: "a forge with another secret", is: "nobody" },
];

let records: Records;
let raised: Raised;
let folder = "";
let seal = "";
let token = "";

beforeAll(async () => {
  seal = (await generateSealIdentity()).recipient;
  folder = await mkdtemp(join(tmpdir(), "mesh-gateway-writers-"));
  const artifacts = await openArtifactStore(folder);
  records = await openRecords();
  const db = records.as("gateway");
  const trust = {
    rootBytes: Buffer.from("root"),
    renew: (one: Uint8Array) => one,
    dropEpoch: (one: Uint8Array) => one,
  };
  const gateway = createGatewayRecords({ db, mesh, artifacts, trust, wakes: createDeclarationWakes() });
  raised = await raiseGateway({ mesh, records: gateway, webhookSecrets: { forge: ["s3cret"] } });
  await addNodes(records.db, "node-a", "node-b", "node-new");
  for (const [node, key] of [["node-a", hostKey] as const, ["node-b", strangerKey] as const]) {
    const keys = { sign: key.publicKey, seal };
    await createToken(records.db, mesh, { node, hash: hashEnrolmentSecret(node), livesMs: 60_000 });
    const use = { node, hash: hashEnrolmentSecret(node), keys, incarnation: incarnationOf(key.publicKey) };
    await useToken(records.db, mesh, use);
  }
  await sendOne(records.db, await grant(records.db), "node-a");
});
afterAll(async () => {
  await raised.close();
  await records.close();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  token = newEnrolmentSecret();
  await createToken(records.db, mesh, { node: "node-new", hash: hashEnrolmentSecret(token), livesMs: 600_000 });
  await records.db.query(`update node set last_contact_at = null`);
});

/** By table: a digest of all its rows. */
async function readTables(): Promise<ReadonlyMap<string, string>> {
  const { rows } = await records.db.query(
    `select table_name as name, query_to_xml(format('select md5(coalesce(string_agg(t::text, chr(10) order by t::text), '''')) as rows from %I t', table_name), false, true, '')::text as rows
       from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  return new Map((rows as { name: string; rows: string }[]).map((row) => [row.name, row.rows]));
}

function present(caller: Caller, method: string, path: string): { headers: Record<string, string>; body: Buffer } {
  const secret = caller.is === "enrolment-token" ? token : newEnrolmentSecret();
  const report = makeReport({ mesh, has: null, digest: null, outcome: "none", sequence: 1 });
  const body = path.startsWith("/v1/enrol")
    ? Buffer.from(JSON.stringify({ token: secret, node: "node-new", keys: { sign: hostKey.publicKey, seal } }))
    : path.endsWith("/report")
      ? sealReport(report, hostKey)
      : Buffer.from(method === "POST" ? "{}" : "");
  const hook = (key: string) => ({
    "x-hub-signature-256": `sha256=${createHmac("sha256", key).update(body).digest("hex")}`,
    "x-github-delivery": newEnrolmentSecret(),
  });
  const headers: Record<string, Record<string, string>> = {
    "the host node-a": raised.prove("node-a", hostKey, method, path, body),
    "the host node-b": raised.prove("node-b", strangerKey, method, path, body),
    "a stranger as node-a": raised.prove("node-a", strangerKey, method, path, body),
    "the forge": hook("s3cret"),
    "a forge with another secret": hook("wrong"),
  };
  return { headers: headers[caller.name] ?? {}, body };
}

function isAllowed(caller: Caller, route: string): boolean {
  const { identity, scope } = findWriter(route);
  if (identity === "open") return true;
  return identity === caller.is && (scope === "any" || caller.node === "node-a");
}

describe("the gateway on real records, with the gateway's rights (R41, case 57)", () => {
  it("has a path in this test for every route", () => {
    expect(Object.keys(paths).toSorted()).toEqual(writers.map(({ route }) => route).toSorted());
  });

  const pairs = writers.flatMap(({ route }) => callers.map((caller) => [caller.name, route, caller] as const));
  it.each(pairs)("%s on %s: touches the tables of its row, and no others", async (_name, route, caller) => {
    const [method = "", path = ""] = [route.split(" ")[0], paths[route]];
    const before = await readTables();
    const { headers, body } = present(caller, method, path);
    const { status } = await raised.ask(method, path, headers, body);
    const after = await readTables();
    const changed = [...after].filter(([name, rows]) => before.get(name) !== rows).map(([name]) => name);
    if (!isAllowed(caller, route)) {
      expect([[401, 403].includes(status), changed]).toEqual([true, []]);
      return;
    }
    // 404: a root or a blob that is not there. Never 5xx: that would be a right that is missing.
    expect([200, 202, 204, 404]).toContain(status);
    const allowed = new Set(findWriter(route).writes.flatMap((write) => touched[write]));
    expect(changed.filter((name) => !allowed.has(name))).toEqual([]);
    const mustChange: readonly string[] = {
      "POST /v1/enrol": ["node", "enrolment_token"],
      "POST /v1/nodes/:node/report": ["account", "node"],
      "POST /v1/webhooks/:source": ["webhook_delivery"],
      "GET /v1/health": [],
    }[route] ?? ["node"];
    expect(changed).toEqual(expect.arrayContaining([...mustChange]));
  });
});
