import { createServer } from "node:https";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { meshPaths, readMeshSetup } from "../../src/cli/mesh-setup.ts";
import { readServeConfig } from "../../src/cli/serve-config.ts";
import { writeMeshFile } from "../../src/cli/up/write-mesh-file.ts";
import type { UpParts } from "../../src/cli/up/up-plan.ts";
import { createCertificateAuthority, issueServerCertificate } from "../../src/link/certificate-authority.ts";
import { createHostClient, type HostClient } from "../../src/link/host-client.ts";
import { readManifest } from "../../src/source/read-manifest.ts";
import { raiseGateway, type Raised } from "../link/support/raise-gateway.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { keys } from "./fixed-keys.ts";

type Value = Readonly<Record<string, unknown>>;

function read(path: string): Promise<string> {
  return readFile(new URL(path, import.meta.url), "utf8");
}

async function readValue(path: string): Promise<Value> {
  return JSON.parse(await read(path)) as Value;
}

async function withGateway<T>(use: (raised: Raised) => Promise<T>): Promise<T> {
  const raised = await raiseGateway({ webhookSecrets: { forge: ["a secret of the contract"] } });
  raised.records.tokens.set("A".repeat(43), "node-a");
  raised.records.root = Buffer.from((await read("root/first.wire")).trimEnd());
  try {
    return await use(raised);
  } finally {
    await raised.close();
  }
}

/** A gateway that answers everything with these bytes, and what a real host client sent it. */
async function withAnswer<T>(answer: string, use: (client: HostClient, bodies: string[]) => Promise<T>): Promise<T> {
  const authority = await createCertificateAuthority({ mesh: "demo", nowMs: Date.now() });
  const tls = await issueServerCertificate(authority, { names: [], addresses: ["127.0.0.1"], nowMs: Date.now() });
  const bodies: string[] = [];
  const server = createServer({ cert: tls.certPem, key: tls.keyPem }, (request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => (body += part.toString()));
    request.on("end", () => {
      bodies.push(body);
      response.setHeader("content-type", "application/json").end(answer);
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createHostClient({ url, caPem: authority.certPem, node: "node-a", signKey: keys.host });
  try {
    return await use(client, bodies);
  } finally {
    client.close();
    server.close();
  }
}

const enrol = (client: HostClient, asked: Value) =>
  client.enrol({ secret: String(asked["token"]), keys: asked["keys"] as { sign: string; seal: string } });

describe("enrolment (R42)", () => {
  it("is asked for by a host as the golden request is, and what a newer gateway adds to the answer is ignored", async () => {
    const [asked, answer] = [
      await readValue("enrol-request/node-a.json"),
      await readValue("enrol-response/node-a.json"),
    ];
    await withAnswer(JSON.stringify({ ...answer, fromTheFuture: 1 }), async (client, bodies) => {
      const enrolled = await enrol(client, asked);
      expect(bodies).toEqual([JSON.stringify(asked)]);
      expect({ ...enrolled, root: enrolled.root.toString("base64") }).toEqual(answer);
    });
  });

  it.each(["mesh", "node", "incarnation", "root"])(
    "is not believed by a host without %s in the answer",
    async (member) => {
      const { [member]: _left, ...rest } = await readValue("enrol-response/node-a.json");
      const asked = await readValue("enrol-request/node-a.json");
      await withAnswer(JSON.stringify(rest), (client) => expect(enrol(client, asked)).rejects.toThrow());
    },
  );

  it("is answered by the gateway as the golden answer is; a request with more or less in it is refused", async () => {
    await withGateway(async (raised) => {
      const asked = await readValue("enrol-request/node-a.json");
      const post = (body: Value) => raised.ask("POST", "/v1/enrol", {}, Buffer.from(JSON.stringify(body)));
      expect((await post({ ...asked, fromTheFuture: 1 })).status).toBe(400);
      for (const member of Object.keys(asked)) {
        const { [member]: _left, ...rest } = asked;
        expect((await post(rest)).status).toBe(400);
      }
      expect(raised.records.hosts.size).toBe(0);
      const good = await post(asked);
      expect([good.status, JSON.parse(good.body.toString())]).toEqual([
        200,
        await readValue("enrol-response/node-a.json"),
      ]);
    });
  });
});

describe("webhooks of each forge (R42)", () => {
  it("are taken as they come, once, and not with another body, header or secret", async () => {
    const names = await readdir(new URL("webhook/", import.meta.url));
    expect(names.length).toBeGreaterThanOrEqual(4);
    for (const name of names) {
      await withGateway(async (raised) => {
        const { headers, body } = (await readValue(`webhook/${name}`)) as {
          headers: Record<string, string>;
          body: string;
        };
        const post = (sent: string, more: Record<string, string> = {}) =>
          raised.ask("POST", "/v1/webhooks/forge", { ...headers, ...more }, Buffer.from(sent));
        if (!name.startsWith("gitlab")) expect([name, (await post(`${body} `)).status]).toEqual([name, 401]);
        const signature = Object.keys(headers).find((header) => /signature|token/.test(header)) ?? "";
        expect((await post(body, { [signature]: "0".repeat(64) })).status).toBe(401);
        expect(raised.wakes).toEqual([]);
        expect([name, (await post(body)).status]).toEqual([name, 202]);
        expect(raised.wakes).toEqual(["forge"]);
      });
    }
  });
});

describe("mesh.yaml (R42)", () => {
  it("is read as the golden manifest; a word that nobody knows is refused with its line", async () => {
    const text = await read("manifest/meshboard.yaml");
    expect(readManifest(text, "meshboard")).toEqual({
      kind: "manifest",
      manifest: await readValue("manifest/meshboard.json"),
    });
    expect(readManifest(`${text}fromTheFuture: 1\n`, "meshboard")).toMatchObject({
      kind: "refused",
      findings: [{ line: text.split("\n").length }],
    });
    expect(readManifest(text.replace("language: typescript\n", ""), "meshboard").kind).toBe("refused");
  });
});

describe("the files of a state folder (R42)", () => {
  async function stateWith(files: Readonly<Record<string, string>>): Promise<string> {
    const state = await createTemporaryFolder();
    await mkdir(join(state, "secrets"), { mode: 0o700 });
    const all = { "mesh.json": await read("mesh-json/demo.json"), "secrets/database-url": "postgresql://x", ...files };
    for (const [path, text] of Object.entries(all)) await writeFile(join(state, path), text, { mode: 0o600 });
    return state;
  }

  it("mesh.json is written as the golden one, and read with what a newer program added left out", async () => {
    const golden = await readValue("mesh-json/demo.json");
    const state = await createTemporaryFolder();
    const parts = { mesh: "demo", listen: "10.0.0.5", ports: { gateway: 7443 }, paths: meshPaths(state) };
    const { temporal, databaseRoles } = golden as unknown as Parameters<typeof writeMeshFile>[1];
    await writeMeshFile(parts as unknown as UpParts, { temporal, databaseRoles });
    expect(JSON.parse(await readFile(join(state, "mesh.json"), "utf8"))).toEqual(golden);
    const newer = await stateWith({ "mesh.json": JSON.stringify({ ...golden, fromTheFuture: 1 }) });
    expect(await readMeshSetup(newer)).toEqual(await readMeshSetup(await stateWith({})));
  });

  it("mesh.json of before is read as one without roles; one of another version is refused", async () => {
    const before = await readValue("mesh-json/before-roles.json");
    const setup = await readMeshSetup(await stateWith({ "mesh.json": JSON.stringify(before) }));
    expect(setup).toMatchObject({ mesh: "demo", databaseRoles: false });
    const other = await stateWith({ "mesh.json": JSON.stringify({ ...before, schema: 2 }) });
    await expect(readMeshSetup(other)).rejects.toThrow(/mesh\.json, line 1, column 2: schema: only 1/);
  });

  it("settings.json is read whole, and a misspelt setting is refused by its name", async () => {
    const all = await readValue("settings-json/all.json");
    const state = await stateWith({ "settings.json": JSON.stringify(all) });
    expect((await readMeshSetup(state)).settings).toEqual(all);
    const none = await stateWith({ "settings.json": await read("settings-json/none.json") });
    expect((await readMeshSetup(none)).settings).toMatchObject({ pollIntervalMs: 3000, logLevel: "info" });
    const misspelt = await stateWith({ "settings.json": JSON.stringify({ pollIntervallMs: 1 }) });
    await expect(readMeshSetup(misspelt)).rejects.toThrow(/pollIntervallMs/);
  });

  it("gives each start a name of its own, also where two machines have the same files (R34)", async () => {
    const state = await stateWith({});
    const [one, other] = [await readServeConfig(state), await readServeConfig(state)];
    expect(one.holder).toMatch(/\/[0-9a-f]{8}$/);
    expect(one.holder).not.toBe(other.holder);
  });

  it("webhooks.json is read, and an unknown member in it is refused without its secrets", async () => {
    const golden = await readValue("webhooks-json/examples.json");
    const state = await stateWith({ "secrets/webhooks.json": JSON.stringify(golden) });
    expect((await readServeConfig(state)).webhooks).toEqual(golden);
    const [name = "", hook] = Object.entries(golden)[0] ?? [];
    const more = JSON.stringify({ [name]: { ...(hook as object), fromTheFuture: 1 } });
    const refused = readServeConfig(await stateWith({ "secrets/webhooks.json": more }));
    await expect(refused).rejects.toThrow(/webhooks\.json: examples is not as expected/);
    await expect(refused).rejects.not.toThrow(/at least sixteen/);
    await chmod(join(state, "secrets/webhooks.json"), 0o640);
    await expect(readServeConfig(state)).rejects.toThrow(/others may read the secret in .*webhooks\.json/);
  });
});
