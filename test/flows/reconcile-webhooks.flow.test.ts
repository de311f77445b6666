import { createHmac } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createCertificateAuthority, issueServerCertificate } from "../../src/link/certificate-authority.ts";
import { readLease } from "../../src/store/lease.ts";
import { startGateway } from "../../src/worker/start-gateway.ts";
import { filesModule, isFitAt } from "./support/module-files.ts";
import { openReconcileMesh, type ReconcileMesh } from "./support/reconcile-mesh.ts";
import { waitUntil } from "./support/wait-until.ts";

const body = Buffer.from('{"ref":"refs/heads/main"}');

let flow: ReconcileMesh;
let gateway: Awaited<ReturnType<typeof startGateway>>;
let agent: Agent;

beforeEach(async () => {
  flow = await openReconcileMesh();
  const nowMs = Date.now();
  const authority = await createCertificateAuthority({ mesh: flow.mesh, nowMs });
  const tls = await issueServerCertificate(authority, { names: [], addresses: ["127.0.0.1"], nowMs });
  await writeFile(flow.config.gateway.certificateFile, tls.certPem);
  await writeFile(flow.config.gateway.certificateKeyFile, tls.keyPem, { mode: 0o600 });
  // The poll would come after the end of this test: what is found here, the webhook told.
  const watch = flow.watch(600_000);
  gateway = await startGateway(flow.config, flow.parts, async (source) => {
    watch.lookSoon(flow.config.webhooks[source]?.repository ?? "");
    await flow.wake(`webhook of ${source}`);
  });
  agent = new Agent({ ca: authority.certPem, keepAlive: true, maxSockets: 20 });
});

afterEach(async () => {
  agent.destroy();
  await gateway.close();
  await flow.close();
});

/** As GitHub does it; the status of the answer. */
function deliver(id: string, secret = flow.config.webhooks["forge"]?.secrets[0] ?? ""): Promise<number> {
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  return new Promise((resolve, reject) => {
    const sent = request(`${gateway.address}/v1/webhooks/forge`, {
      method: "POST",
      agent,
      headers: { "x-hub-signature-256": `sha256=${signature}`, "x-github-event": "push", "x-github-delivery": id },
    });
    sent.on("response", (answer) => {
      answer.resume().on("end", () => resolve(answer.statusCode ?? 0));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

describe("webhooks over the real gateway", () => {
  it("a signed one becomes a build, a forged one nothing (R7, case 56)", async () => {
    await flow.origin.commit(filesModule("app", "one"));
    await flow.addModules("app");
    await flow.look();
    const second = await flow.origin.commit(filesModule("app", "two"));
    expect(await deliver("1", "another-secret-than-that")).toBe(401);
    expect(flow.wakes.filter((why) => why.startsWith("webhook"))).toEqual([]);
    expect(await deliver("2")).toBe(202);
    await waitUntil("the build", () => isFitAt(flow, "app", second));
  });

  it("a thousand at once are coalesced, and the lease is kept (R34, case 56)", async () => {
    const before = await readLease(flow.db, flow.mesh);
    const statuses = await Promise.all(Array.from({ length: 1_000 }, (_, at) => deliver(`${at}`)));
    expect(new Set(statuses)).toEqual(new Set([202]));
    await waitUntil("the lease was renewed since", async () => {
      const now = await readLease(flow.db, flow.mesh);
      return now !== null && before !== null && now.epoch === before.epoch && now.beat > before.beat;
    });
    expect({ lost: flow.lost, mayAct: flow.lease.mayAct() }).toEqual({ lost: [], mayAct: true });
    expect(flow.wakes.length).toBeLessThan(60);
  });
});
