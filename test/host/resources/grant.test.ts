import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { ResourceOf } from "../../../src/core/resource.ts";
import { UnavailableError } from "../../../src/core/errors.ts";
import { hostFolders } from "../../../src/host/folders.ts";
import { NoAnswerError } from "../../../src/host/providers/no-answer.ts";
import type { ObservedGrant, Provider } from "../../../src/host/providers/provider.ts";
import { createGrantHandler } from "../../../src/host/resources/grant.ts";
import { makeDeclaration } from "../../link/support/fixtures.ts";
import { makeFolder } from "../../support/host-bed.ts";

const web: ObservedGrant = { provision: "web", version: 1, name: "web", access: true, problems: [] };

async function removeFrom(
  provider: Pick<Provider, "readGrants" | "withdrawGrants">,
  { admin = "db:5432", readAdminPassword = async () => "secret" } = {},
) {
  const folder = await makeFolder();
  const resource: ResourceOf<"grant"> = {
    id: "grant/postgres/postgresql",
    module: "postgres",
    after: [],
    kind: "grant",
    provider: "postgresql",
    endpoint: { host: "db", port: 5432 },
    admin,
    adminUser: "postgres",
    adminPasswordFile: "${data}/password",
    grants: [],
  };
  const whole: Provider = { kind: "postgresql", issueGrants: async () => undefined, ...provider };
  const context = {
    folders: hostFolders(path.join(folder, "host")),
    declaration: makeDeclaration(),
    signal: new AbortController().signal,
    readAdminPassword,
    openSecret: () => Promise.reject(new Error("nothing is opened")),
  };
  return createGrantHandler(context, { postgresql: whole, rabbitmq: whole }, "postgresql").remove(resource);
}

describe("a grant list that is not wanted any more (R20, R43)", () => {
  it("is gone when nobody is read to have access", async () => {
    let there = [web, { ...web, provision: "old", access: false }];
    const withdrawn: string[] = [];
    const removal = removeFrom({
      readGrants: async () => there,
      async withdrawGrants(_access, which) {
        withdrawn.push(...which.map(({ provision }) => provision));
        there = there.map((each) => ({ ...each, access: false }));
      },
    });
    expect(await removal).toEqual({ kind: "removed" });
    expect(withdrawn).toEqual(["web"]);
  });

  it("is not, when somebody still has: what was run is no proof", async () => {
    const removal = removeFrom({ readGrants: async () => [web], withdrawGrants: async () => undefined });
    await expect(removal).rejects.toThrow("web v1 with access");
  });

  it("is no more than its server where that made no password yet: away when nobody listens, and else there", async () => {
    const missing = new UnavailableError("the file with the administrator's password is not there yet");
    const unasked = () => Promise.reject(new Error("it was asked"));
    const provider = { readGrants: unasked, withdrawGrants: unasked };
    const server = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const remove = async (admin: string): Promise<unknown> =>
      removeFrom(provider, { admin, readAdminPassword: () => Promise.reject(missing) }).catch(
        (error: unknown) => error,
      );
    const there = [await remove(`127.0.0.1:${port}`), await remove(`http://localhost:${port}`)];
    await new Promise((resolve) => server.close(resolve));
    const away = [await remove(`127.0.0.1:${port}`), await remove(`http://localhost:${port}`)];
    expect(there.map((error) => error instanceof NoAnswerError)).toEqual([false, false]);
    expect(String(there[0])).toContain(
      `not there yet, and its server is there (127.0.0.1:${port} accepts connections)`,
    );
    expect(away.map((error) => error instanceof NoAnswerError)).toEqual([true, true]);
  });
});
