import { createHmac } from "node:crypto";
import fastify from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { guardRoutes } from "../../../src/link/gateway/add-route.ts";
import type { GatewayContext } from "../../../src/link/gateway/gateway-context.ts";
import { allowWrites, findWriter, writers, type IdentityClass } from "../../../src/link/gateway/writers.ts";
import { newEnrolmentSecret } from "../../../src/link/enrolment-token.ts";
import { sealReport } from "../../../src/link/report-envelope.ts";
import { generateSealIdentity } from "../../../src/link/sealing.ts";
import { hostKey, makeReport, strangerKey } from "../support/fixtures.ts";
import { gatewayPaths } from "../support/gateway-paths.ts";
import { createMemoryRecords } from "../support/memory-records.ts";
import { raiseGateway, type Raised } from "../support/raise-gateway.ts";

/** Everyone who may come, with the class that they are. `node`: a host's own. */
type Caller = { readonly name: string; readonly is: IdentityClass | "nobody"; readonly node?: string };
const callers: readonly Caller[] = [
  { name: "open", is: "open" },
  { name: "the host node-a", is: "host", node: "node-a" },
  { name: "the host node-b", is: "host", node: "node-b" },
  { name: "a stranger with a key of its own, as node-a", is: "nobody" },
  { name: "a stranger as a node that never enrolled", is: "nobody" },
  { name: "a good enrolment token", is: "enrolment-token" },
  { name: "a wrong enrolment token", is: "nobody" },
  { name: "a webhook source", is: "webhook-source" },
  { name: "a webhook source with a wrong secret", is: "nobody" },
  { name: "a webhook source that is not registered", is: "nobody" },
];

const digest = `sha256:${"a".repeat(64)}`;
const paths = gatewayPaths(digest);

let raised: Raised;
let seal = "";
const token = newEnrolmentSecret();
beforeAll(async () => {
  raised = await raiseGateway({ webhookSecrets: { forge: ["s3cret"], other: ["0ther"] } });
  seal = (await generateSealIdentity()).recipient;
});
afterAll(() => raised.close());

/** The body a good caller of this route would send, and the proof, signature or token that this caller has. */
function present(caller: Caller, method: string, path: string): { headers: Record<string, string>; body: Buffer } {
  const keys = { sign: strangerKey.publicKey, seal };
  const secret = caller.name === "a good enrolment token" ? token : newEnrolmentSecret();
  // Each enrolling caller enrols a node of its own, so that this does not change who node-a is.
  const body = path.startsWith("/v1/enrol")
    ? Buffer.from(JSON.stringify({ token: secret, node: "node-new", keys }))
    : path.endsWith("/report")
      ? sealReport(makeReport(), hostKey)
      : method === "POST"
        ? Buffer.from("{}")
        : Buffer.alloc(0);
  const proof = (node: string, key = hostKey) => raised.prove(node, key, method, path, body);
  const hook = (key: string) => ({
    "x-hub-signature-256": `sha256=${createHmac("sha256", key).update(body).digest("hex")}`,
  });
  const headers = {
    "the host node-a": proof("node-a"),
    "the host node-b": proof("node-b", strangerKey),
    "a stranger with a key of its own, as node-a": proof("node-a", strangerKey),
    "a stranger as a node that never enrolled": proof("node-x", strangerKey),
    "a webhook source": hook("s3cret"),
    "a webhook source with a wrong secret": hook("wrong"),
    "a webhook source that is not registered": hook("0ther"),
  }[caller.name];
  return { headers: headers ?? {}, body };
}

function isAllowed(caller: Caller, route: string): boolean {
  const row = findWriter(route);
  if (row.identity === "open") return true;
  if (row.identity !== caller.is) return false;
  return row.scope === "any" || caller.node === "node-a";
}

describe("the writers table (R41, case 57)", () => {
  it("has a path in this test for every route", () => {
    expect(Object.keys(paths).toSorted()).toEqual(writers.map(({ route }) => route).toSorted());
  });

  const pairs = writers.flatMap(({ route }) => callers.map((caller) => [caller.name, route, caller] as const));
  it.each(pairs)("%s on %s: as the table says, and nothing is written otherwise", async (_name, route, caller) => {
    const { records } = raised;
    records.hosts.set("node-a", { sign: hostKey.publicKey, seal });
    records.hosts.set("node-b", { sign: strangerKey.publicKey, seal });
    records.hosts.delete("node-new");
    records.tokens.set(token, "node-new");
    records.blobs.set(digest, Buffer.from("blob"));
    records.roots.set(2, Buffer.from("root"));
    records.reports.length = 0;
    records.contacts.length = 0;
    const before = [...records.hosts.keys()];
    const [method = "", path = ""] = [route.split(" ")[0], paths[route]];
    const { headers, body } = present(caller, method, path);
    const { status } = await raised.ask(method, path, headers, body);
    if (isAllowed(caller, route)) {
      expect(status).toBeGreaterThanOrEqual(200);
      expect(status).toBeLessThan(300);
      const { writes } = findWriter(route);
      expect(records.contacts).toEqual(writes.includes("contact") ? [caller.node] : []);
      expect(records.reports.length).toBe(writes.includes("account") ? 1 : 0);
      expect(records.hosts.has("node-new")).toBe(writes.includes("host-keys"));
    } else {
      expect([401, 403]).toContain(status);
      expect(records.contacts).toEqual([]);
      expect(records.reports).toEqual([]);
      expect([...records.hosts.keys()]).toEqual(before);
    }
  });

  it("says which: a host on another's path is 403, a stranger is 401", async () => {
    const path = paths["GET /v1/nodes/:node/declaration"] ?? "";
    const asOther = await raised.ask("GET", path, raised.prove("node-b", strangerKey, "GET", path));
    expect([asOther.status, asOther.body.toString()]).toEqual([403, '{"refused":"not-your-node"}']);
    const asStranger = await raised.ask("GET", path, raised.prove("node-a", strangerKey, "GET", path));
    expect([asStranger.status, asStranger.body.toString()]).toEqual([401, '{"refused":"proof-signature"}']);
  });

  it("answers 404 to what is no route, for everyone", async () => {
    for (const path of ["/", "/v1", "/v1/nodes/node-a", "/v1/nodes/node-a/declaration/", "/v1/../etc/passwd"])
      expect((await raised.ask("GET", path)).status).toBe(404);
    expect((await raised.ask("HEAD", "/v1/health")).status).toBe(404);
    expect((await raised.ask("DELETE", "/v1/health")).status).toBe(404);
  });

  const context = { records: createMemoryRecords(), wakes: { wake() {} } } as unknown as GatewayContext;

  it("does not start a route without a row", () => {
    const app = fastify();
    const addRoute = guardRoutes(app, context);
    expect(() => {
      addRoute("GET /v1/secrets", 0, async () => ({}));
    }).toThrow(/no row in the writers table/);
    expect(() => app.get("/v1/secrets", async () => ({}))).toThrow(/no row in the writers table/);
  });

  it("does not start a route that goes round the identity checks", () => {
    const app = fastify({ exposeHeadRoutes: false });
    guardRoutes(app, context);
    expect(() => app.get("/v1/blobs/:digest", async () => ({}))).toThrow(/not added by addRoute/);
  });

  it("gives a handler only the writes of its row", async () => {
    const records = allowWrites(createMemoryRecords(), () => {}, findWriter("GET /v1/blobs/:digest"));
    await records.recordContact("node-a", 2);
    expect(() => records.keepReport("node-a", makeReport(), Buffer.alloc(0))).toThrow(/may not write account/);
    const keys = { sign: "", seal: "" };
    expect(() => records.enrolHost({ secret: "", node: "node-a", keys, protocol: 2 })).toThrow(/host-keys/);
    expect(() => records.keepUnordered("node-a", makeReport())).toThrow(/may not write account/);
    expect(() => {
      records.wake("forge");
    }).toThrow(/may not write wake/);
    expect(() => records.recordWebhookDelivery("forge", "1")).toThrow(/webhook-delivery/);
  });
});
