import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, Connection } from "@temporalio/client";
import { expect, inject, it } from "vitest";
import { meshPaths } from "../../src/cli/mesh-setup.ts";
import { historyToJSON } from "@temporalio/common/lib/proto-utils.js";
import { reconcileWorkflowId } from "../../src/decide/ids.ts";
import { addNode } from "../../src/store/nodes.ts";
import { issue, makeAuthority } from "../support/certificates.ts";
import { openServedMesh } from "./support/served-mesh.ts";
import { openTemporalFront } from "./support/temporal-front.ts";

it(
  "a controller and commands work over a Temporal that wants TLS, a certificate and a key; none of the secrets is seen",
  { timeout: 240_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "mesh-tls-"));
    const authority = await makeAuthority("ours");
    const client = await issue(authority, "mesh");
    await writeFile(join(folder, "ca.pem"), authority.certificate);
    await writeFile(join(folder, "client.pem"), client.certificate);
    await writeFile(join(folder, "client.key"), client.key, { mode: 0o600 });
    let valid = "canary-of-an-api-key";
    const front = await openTemporalFront({
      behind: inject("temporalAddress"),
      server: await issue(authority, "localhost"),
      clientAuthority: authority.certificate,
      apiKey: () => valid,
    });
    const served = await openServedMesh({
      temporal: { address: front.address, namespace: "default", given: { configFile: null, profile: null } },
      env: {
        TEMPORAL_API_KEY: valid,
        TEMPORAL_TLS_SERVER_CA_CERT_PATH: join(folder, "ca.pem"),
        TEMPORAL_TLS_CLIENT_CERT_PATH: join(folder, "client.pem"),
        TEMPORAL_TLS_CLIENT_KEY_PATH: join(folder, "client.key"),
      },
    });
    try {
      await addNode(served.db, served.mesh, { name: "shop-1", address: "127.0.0.1" });
      const controller = served.startController();
      await controller.hears('"ready"', 120_000);
      const push = served.startShell("push", "--behind", "--json");
      expect(await push.ended(), push.output()).toBe(0);
      const status = served.startShell("status", "--json");
      await status.ended();
      expect(front.calls()).toBeGreaterThan(10);

      valid = "another";
      const late = served.startShell("push", "--behind");
      expect(await late.ended(), late.output()).toBe(3);
      expect(late.output()).toMatch(/refuses the API key[^]*set TEMPORAL_API_KEY/);

      const said = [controller, push, status, late].map((one) => one.output()).join("\n");
      const kept = await readFile(meshPaths(served.state).meshFile, "utf8");
      const histories = await readHistory(served.mesh);
      expect(histories).toContain(served.mesh);
      for (const text of [said, kept, histories]) {
        expect(text).not.toContain("canary");
        expect(text).not.toContain(client.key.split("\n")[1] ?? "no key");
      }
    } finally {
      await served.close();
      await front.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
);

/** Of the mesh's loop, as Temporal keeps it. */
async function readHistory(mesh: string): Promise<string> {
  const connection = await Connection.connect({ address: inject("temporalAddress") });
  try {
    const history = await new Client({ connection }).workflow.getHandle(reconcileWorkflowId(mesh)).fetchHistory();
    return historyToJSON(history);
  } finally {
    await connection.close();
  }
}
