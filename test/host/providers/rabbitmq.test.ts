import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UnavailableError } from "../../../src/core/errors.ts";
import { NoAnswerError } from "../../../src/host/providers/no-answer.ts";
import { createRabbitmqProvider } from "../../../src/host/providers/rabbitmq.ts";
import type { Provider, ProviderAccess, WantedGrant } from "../../../src/host/providers/provider.ts";
import { diffGrants } from "../../../src/host/resources/grant.ts";

/** A model of the management API as far as a provider asks it; the real broker is in `test/beds`. */
let server: Server;
let access: ProviderAccess;
let vhosts: Map<string, { description: string }>;
let users: Map<string, { password_hash: string }>;
let permissions: Map<string, object>;
let connections: { name: string; user: string; vhost: string }[];
/** The host is killed before this request is sent. */
let cutAt = Infinity;
let asked = 0;
/** Called instead of an answer. */
let onSilent: (() => void) | null = null;

const grant: WantedGrant = {
  provision: "node-a.web.broker@node-b.rabbit.0123456789abcdef",
  version: 1,
  name: "web_demo",
  password: "a-password",
};

beforeEach(async () => {
  [vhosts, users, permissions, connections] = [new Map(), new Map(), new Map(), []];
  [cutAt, asked, onSilent] = [Infinity, 0, null];
  server = createServer((request, response) => {
    asked += 1;
    if (onSilent !== null) return onSilent();
    if (asked >= cutAt) {
      request.socket.destroy();
      return;
    }
    let body = "";
    request.on("data", (part: Buffer) => (body += part.toString()));
    request.on("end", () => {
      const [, , ...segments] = (request.url ?? "").split("/").map(decodeURIComponent);
      const answer = respond(request.method ?? "", segments, body === "" ? {} : JSON.parse(body));
      response.writeHead(answer === null ? 404 : 200).end(JSON.stringify(answer ?? {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const admin = `http://127.0.0.1:${port}`;
  access = {
    mesh: "demo",
    node: "node-b",
    module: "rabbit",
    admin,
    adminUser: "admin",
    adminPassword: "x",
    signal: new AbortController().signal,
  };
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function respond(method: string, [kind, name = "", more]: readonly string[], body: object): unknown {
  const lists: Readonly<Record<string, Map<string, object>>> = { vhosts, users, permissions };
  const all = lists[kind ?? ""];
  if (kind === "connections") {
    connections = connections.filter((one) => one.name !== name);
    return {};
  }
  if (method === "PUT") return all?.set(name, body) && {};
  if (method === "DELETE") return all?.delete(name) === true ? {} : null;
  if (more === "connections") return vhosts.has(name) ? connections.filter(({ vhost }) => vhost === name) : null;
  const own = { vhost: name, configure: ".*", write: ".*", read: ".*" };
  if (more === "permissions") return users.has(name) ? (permissions.has(name) ? [own] : []) : null;
  return [...(all ?? [])].map(([its, value]) => ({ tags: [], ...value, name: its }));
}

async function pass(provider: Provider, wanted: readonly WantedGrant[]): Promise<void> {
  const observed = await provider.readGrants(access, wanted);
  const listed = new Set(wanted.map(({ provision }) => provision));
  await provider.withdrawGrants(
    access,
    observed.filter((one) => one.access && !listed.has(one.provision)),
  );
  if (diffGrants({ access, grants: wanted }, observed) !== null) await provider.issueGrants(access, wanted);
}

const isRight = async (provider: Provider, wanted: readonly WantedGrant[]): Promise<boolean> =>
  diffGrants({ access, grants: wanted }, await provider.readGrants(access, wanted)) === null;

describe("RabbitMQ as a provider", () => {
  it("comes to the same before whichever request a kill comes, and leaves no connection open (R20, R44)", async () => {
    for (const wanted of [[grant], []]) {
      for (let cut = 1; cut < 40; cut += 1) {
        if (wanted.length === 0) {
          await pass(createRabbitmqProvider(), [grant]);
          connections = [
            { name: "one", user: grant.name, vhost: grant.name },
            { name: "two", user: grant.name, vhost: grant.name },
            { name: "admin's", user: "admin", vhost: grant.name },
          ];
        }
        [cutAt, asked] = [cut, 0];
        const isCut = await pass(createRabbitmqProvider(), wanted).then(
          () => false,
          () => true,
        );
        cutAt = Infinity;
        // A host that comes back knows nothing of it but what it reads.
        const next = createRabbitmqProvider();
        await pass(next, wanted);
        expect(await isRight(next, wanted)).toBe(true);
        if (wanted.length === 0) expect([users.size, connections.map(({ name }) => name)]).toEqual([0, ["admin's"]]);
        if (!isCut) break;
        if (wanted.length > 0) [vhosts, users, permissions] = [new Map(), new Map(), new Map()];
      }
    }
  });

  it("holds nobody up who has something newer to do, and is not said to be away for it (case 31)", async () => {
    const newer = new Error("a newer declaration is there");
    const controller = new AbortController();
    onSilent = () => controller.abort(newer);
    const hanging = { ...access, signal: controller.signal };
    await expect(createRabbitmqProvider().issueGrants(hanging, [grant, grant])).rejects.toBe(newer);
    await expect(createRabbitmqProvider().readGrants(hanging, [])).rejects.toBe(newer);
    expect(asked).toBe(1);
  });

  it("is there where it answers more than is read of it: no access is lost sight of for that (R20)", async () => {
    const long = createServer((_request, response) => {
      const part = Buffer.alloc(1024 * 1024, " ");
      const more = (): void => void (response.writableEnded || response.write(part, more));
      more();
    }).listen(0, "127.0.0.1");
    await once(long, "listening");
    const { port } = long.address() as AddressInfo;
    const reading = createRabbitmqProvider().readGrants({ ...access, admin: `http://127.0.0.1:${port}` }, []);
    const error = await reading.then(
      () => null,
      (failure: unknown) => failure,
    );
    long.closeAllConnections();
    await new Promise((resolve) => long.close(resolve));
    expect(error).toBeInstanceOf(UnavailableError);
    expect(error).not.toBeInstanceOf(NoAnswerError);
  });

  it("sees a connection that the broker lists late, and asks no more about who is long gone", async () => {
    let nowMs = 0;
    const provider = createRabbitmqProvider(() => nowMs);
    await pass(provider, [grant]);
    await pass(provider, []);
    expect(await isRight(provider, [])).toBe(true);
    connections = [{ name: "late", user: grant.name, vhost: grant.name }];
    nowMs += 5_000;
    expect(await isRight(provider, [])).toBe(false);
    await pass(provider, []);
    expect([await isRight(provider, []), connections]).toEqual([true, []]);
    nowMs += 61_000;
    asked = 0;
    expect(await isRight(provider, [])).toBe(true);
    // Vhosts and users, and nothing for each of those that were ever withdrawn.
    expect(asked).toBe(2);
  });
});
