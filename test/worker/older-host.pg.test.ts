import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Declaration } from "../../src/core/declaration.ts";
import { digestValue } from "../../src/decide/digest.ts";
import { sealDeclaration } from "../../src/link/declaration-envelope.ts";
import { hashEnrolmentSecret, newEnrolmentSecret } from "../../src/link/enrolment-token.ts";
import { signEnvelope } from "../../src/link/envelope.ts";
import { generateSigningKey, incarnationOf } from "../../src/link/keys.ts";
import { generateSealIdentity } from "../../src/link/sealing.ts";
import { dropEpoch } from "../../src/link/unordered-declaration.ts";
import { getAccount } from "../../src/store/read-accounts.ts";
import { insertDeclarations } from "../../src/store/declarations.ts";
import { createToken } from "../../src/store/enrolment.ts";
import { withGate } from "../../src/store/gate.ts";
import { getNode } from "../../src/store/nodes.ts";
import { stopMesh } from "../../src/store/stop.ts";
import { loadMeshView } from "../../src/store/situations.ts";
import { createDeclarationWakes, createGatewayRecords } from "../../src/worker/gateway-records.ts";
import { raiseGateway, type Raised } from "../link/support/raise-gateway.ts";
import { addNodes, declarationOf, digestOf, grant, mesh, openRecords, type Records } from "../store/open-records.ts";

const hostKey = generateSigningKey();
const declarationKey = generateSigningKey();
const incarnation = incarnationOf(hostKey.publicKey);
const speaks = { "mesh-protocol": "1" };

let records: Records;
let raised: Raised;
let epoch = 0;

/** The request as such a host wrote it, with what differs in each run put in. */
async function golden(name: string, values: Readonly<Record<string, string>>): Promise<Buffer> {
  let text = (await readFile(join("test/link/golden/older-host", name), "utf8")).trim();
  for (const [word, value] of Object.entries(values)) text = text.replaceAll(word, value);
  return Buffer.from(text);
}

beforeAll(async () => {
  records = await openRecords();
  await addNodes(records.db, "node-a");
  epoch = await grant(records.db);
  const trust = {
    rootBytes: Buffer.from("root"),
    renew: (envelope: Uint8Array) => envelope,
    dropEpoch: (envelope: Uint8Array) => dropEpoch(envelope, { own: [declarationKey], by: declarationKey }),
  };
  const parts = { db: records.as("gateway"), mesh, artifacts: Object(null), trust, wakes: createDeclarationWakes() };
  raised = await raiseGateway({ mesh, records: createGatewayRecords(parts) });
  const token = newEnrolmentSecret();
  await createToken(records.db, mesh, { node: "node-a", hash: hashEnrolmentSecret(token), livesMs: 60_000 });
  const { recipient } = await generateSealIdentity();
  const body = await golden("enrol.json", { TOKEN: token, SIGN: hostKey.publicKey, SEAL: recipient });
  const enrolled = await raised.ask("POST", "/v1/enrol", speaks, body);
  expect(enrolled.status, enrolled.body.toString()).toBe(200);
});
afterAll(async () => {
  await raised.close();
  await records.close();
});
beforeEach(() => records.db.query(`truncate account`));

async function send(data: string): Promise<Declaration> {
  const content = { node: "node-a", builds: { web: digestOf(data) }, resources: [] };
  return await withGate(records.db, { mesh, epoch, count: 1 }, async (tx, [number = 0]) => {
    const order = { epoch, number };
    const declaration = { ...declarationOf("node-a", order), incarnation, content, digest: digestValue(content) };
    const envelope = sealDeclaration(declaration, [declarationKey]);
    await insertDeclarations(tx, [{ declaration, envelope, offers: [], push: "p1", round: 0, why: "a test" }]);
    return declaration;
  });
}

async function fetch(have: string) {
  const path = `/v1/nodes/node-a/declaration?have=${have}&wait=0`;
  return await raised.ask("GET", path, { ...speaks, ...raised.prove("node-a", hostKey, "GET", path) });
}

async function report(digest: string, headers: Record<string, string> = speaks) {
  const path = "/v1/nodes/node-a/report";
  const body = await golden("report.json", { INCARNATION: incarnation, DIGEST: digest });
  const bytes = signEnvelope("report", body, [hostKey]);
  return await raised.ask("POST", path, { ...headers, ...raised.prove("node-a", hostKey, "POST", path, bytes) }, bytes);
}

describe("a host that does not speak ordering (R37)", () => {
  it("is known as such from its enrolment on, and mesh status says so", async () => {
    expect((await getNode(records.db, mesh, "node-a"))?.protocol).toBe(1);
    const limits = { silentAfterMs: 90_000, recordsStaleAfterMs: 60_000, sourcesStaleAfterMs: 60_000 };
    const view = await loadMeshView(records.db, mesh, { now: new Date().toISOString(), limits });
    expect(view.situations.get("node-a")?.notices).toEqual([expect.stringContaining("does not keep order")]);
  });

  it("is handed what it was sent without its epoch, signed, and nothing while it has that content", async () => {
    const { digest, number } = await send("one");
    const answer = await fetch("none");
    expect(answer.status).toBe(200);
    const { payload } = JSON.parse(answer.body.toString()) as { payload: string };
    const handed = JSON.parse(Buffer.from(payload, "base64").toString()) as Record<string, unknown>;
    expect(handed).toMatchObject({ node: "node-a", digest, number });
    expect(Object.keys(handed)).not.toContain("epoch");
    expect((await fetch(digest)).status).toBe(204);
    expect((await fetch("sha256:rubbish")).status).toBe(400);
  });

  it("has its report counted when the digest is the one last sent, and refused and counted else", async () => {
    const first = await send("two");
    const second = await send("three");
    const refusedBefore = (await getNode(records.db, mesh, "node-a"))?.refusedReports ?? 0;
    const late = await report(first.digest);
    expect([late.status, late.body.toString()]).toEqual([409, expect.stringContaining("it was last sent")]);
    expect(await getAccount(records.db, mesh, "node-a")).toBeNull();
    expect((await report(second.digest)).status).toBe(204);
    expect(await getAccount(records.db, mesh, "node-a")).toMatchObject({
      has: { epoch: second.epoch, number: second.number },
      digest: second.digest,
      outcome: "applied",
      sequence: 1,
    });
    // Again, and again: nothing in it says that it is the same.
    await report(second.digest);
    expect((await getAccount(records.db, mesh, "node-a"))?.sequence).toBe(2);
    expect((await getNode(records.db, mesh, "node-a"))?.refusedReports).toBe(refusedBefore + 1);
  });

  it("is given nothing while the mesh is stopped: what it has may be newer than what the records know (R35)", async () => {
    const backedUp = await send("before the backup");
    const lost = digestOf("sent after the backup");
    await stopMesh(records.db, mesh, { reason: "restored", above: { epoch: 1_000, number: 1 } });
    expect((await fetch(lost)).status).toBe(204);
    await records.db.query(`update mesh set stopped_at = null, stopped_for = null`);
    const answer = await fetch(lost);
    const { payload } = JSON.parse(answer.body.toString()) as { payload: string };
    expect(JSON.parse(Buffer.from(payload, "base64").toString())).toMatchObject({ digest: backedUp.digest });
  });

  it("is taken at its word in each request: one that speaks ordering must say where its report belongs", async () => {
    const { digest } = await send("four");
    expect((await report(digest, {})).status).toBe(400);
    expect((await report(digest, { "mesh-protocol": "2" })).status).toBe(400);
    expect((await report(digest, { "mesh-protocol": "x" })).status).toBe(400);
    expect((await getNode(records.db, mesh, "node-a"))?.protocol).toBe(2);
    expect((await report(digest)).status).toBe(204);
    expect((await getNode(records.db, mesh, "node-a"))?.protocol).toBe(1);
  });
});
