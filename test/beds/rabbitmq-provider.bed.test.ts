import amqp from "amqplib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { UnavailableError } from "../../src/core/errors.ts";
import type { ProviderAccess, WantedGrant } from "../../src/host/providers/provider.ts";
import { askManagement } from "../../src/host/providers/rabbitmq-management.ts";
import { createRabbitmqProvider } from "../../src/host/providers/rabbitmq.ts";
import { concludeGrants, diffGrants } from "../../src/host/resources/grant.ts";
import { hasRabbitmq, startRabbitmq, type TestRabbitmq } from "../support/rabbitmq.ts";

const isInstalled = await hasRabbitmq();
const provider = createRabbitmqProvider();

describe.skipIf(!isInstalled)("RabbitMQ as a provider (skipped, needs RabbitMQ)", () => {
  let broker: TestRabbitmq;
  let access: ProviderAccess;

  beforeAll(async () => {
    broker = await startRabbitmq();
    const { admin, adminUser, adminPassword } = broker;
    access = {
      mesh: "demo",
      node: "node-b",
      module: "rabbitmq",
      admin,
      adminUser,
      adminPassword,
      signal: new AbortController().signal,
    };
  });

  afterAll(async () => {
    await broker.stop();
  });

  function grantFor(consumer: string, version = 1, host = "0123456789abcdef"): WantedGrant {
    const provision = `node-a.${consumer}.queue.${host}@node-b.rabbitmq.${host}`;
    return { provision, version, name: `${consumer}_0a1b`, password: `password-${consumer}-${version}` };
  }

  async function apply(...grants: WantedGrant[]): Promise<void> {
    const observed = await provider.readGrants(access, grants);
    const wanted = new Set(grants.map(({ provision }) => provision));
    await provider.withdrawGrants(
      access,
      observed.filter((each) => each.access && !wanted.has(each.provision)),
    );
    await provider.issueGrants(access, grants);
  }

  async function conclusion(...grants: WantedGrant[]) {
    return concludeGrants({ access, grants }, await provider.readGrants(access, grants));
  }

  function connect(grant: WantedGrant, vhost = grant.name) {
    return amqp.connect(`amqp://${grant.name}:${grant.password}@127.0.0.1:${broker.port}/${vhost}`);
  }

  it("mints, withdraws and gives back a vhost; the others are untouched (R17, R20, case 16)", async () => {
    const [one, two] = [grantFor("web"), grantFor("shop")];
    await apply(one, two);
    await apply(one, two);
    expect(await conclusion(one, two)).toMatchObject({ state: "applied", message: "2 granted" });
    const connection = await connect(one);
    const closed = new Promise((resolve) => connection.once("close", resolve));
    connection.on("error", () => undefined);
    const channel = await connection.createConfirmChannel();
    await channel.assertQueue("rows", { durable: true });
    channel.sendToQueue("rows", Buffer.from("precious"), { persistent: true });
    await channel.waitForConfirms();
    await expect(connect(one, two.name)).rejects.toThrow(/got <ConnectionClose/);

    await apply(two);
    await closed;
    await expect(connect(one)).rejects.toThrow(/ACCESS.REFUSED/);
    await (await connect(two)).close();
    expect(await conclusion(two)).toMatchObject({
      message: "1 granted, 1 withdrawn with the data kept",
      provisions: [{ provision: two.provision, version: 1 }],
    });

    const again = grantFor("web", 2);
    await apply(again, two);
    expect((await conclusion(again, two)).provisions).toContainEqual({ provision: again.provision, version: 2 });
    const back = await connect(again);
    const message = await (await back.createChannel()).get("rows", { noAck: true });
    expect(message === false ? "" : message.content.toString()).toBe("precious");
    await back.close();
    await expect(connect(one)).rejects.toThrow(/ACCESS.REFUSED/);
  });

  it("finds what somebody changed, says it and mends it (R44, case 48)", async () => {
    const grant = grantFor("drift");
    const other = grantFor("other");
    await apply(grant, other);
    const { name } = grant;
    const all = { configure: ".*", write: ".*", read: ".*" };
    const changes: [() => Promise<unknown>, RegExp][] = [
      [() => askManagement(access, "DELETE", ["users", name]), /without access/],
      [() => askManagement(access, "PUT", ["users", name], { password: "other", tags: "" }), /another password/],
      [
        () => askManagement(access, "PUT", ["users", name], { password: grant.password, tags: "management" }),
        /has a tag/,
      ],
      [() => askManagement(access, "DELETE", ["permissions", name, name]), /not all rights/],
      [() => askManagement(access, "PUT", ["permissions", other.name, name], all), /rights on another vhost/],
      [() => askManagement(access, "DELETE", ["vhosts", name]), /not there/],
    ];
    for (const [change, words] of changes) {
      await change();
      const difference = diffGrants(
        { access, grants: [grant, other] },
        await provider.readGrants(access, [grant, other]),
      );
      expect(difference?.found).toMatch(words);
      await apply(grant, other);
      expect((await conclusion(grant, other)).state).toBe("applied");
    }
  });

  it("gives the same vhost, and no old password, where the hosts were enrolled anew (case 22, R46)", async () => {
    const [before, after] = [grantFor("anew"), { ...grantFor("anew", 1, "another-host"), password: "another" }];
    await apply(before);
    await apply(after);
    expect(await conclusion(after)).toMatchObject({ state: "applied", provisions: [{ provision: after.provision }] });
    await apply();
    await apply(after);
    expect((await conclusion(after)).state).toBe("applied");
  });

  it("never takes a vhost that it did not make, nor another mesh's", async () => {
    const [plain, foreign] = [grantFor("plain"), grantFor("foreign")];
    await askManagement(access, "PUT", ["vhosts", plain.name], {});
    const description = `mesh:other:${foreign.provision}:1`;
    await askManagement(access, "PUT", ["vhosts", foreign.name], { description });
    await expect(apply(plain, foreign)).rejects.toThrow("was not made for");
    const found = await provider.readGrants(access, []);
    expect(found.map(({ name }) => name)).not.toContain(foreign.name);
  });

  it("says that nobody answers, and never that nothing is there (R26)", async () => {
    await expect(provider.readGrants({ ...access, admin: "http://127.0.0.1:1" }, [])).rejects.toThrow(UnavailableError);
    // A web server that is no management API answers 404 to everything.
    await expect(provider.readGrants({ ...access, admin: `${access.admin}/elsewhere` }, [])).rejects.toThrow(
      UnavailableError,
    );
    const wrong = provider.readGrants({ ...access, adminPassword: "canary-of-the-admin" }, []);
    await expect(wrong).rejects.toThrow("answers 401");
    await expect(wrong).rejects.not.toThrow("canary");
  });
});
