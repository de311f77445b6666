import amqp from "amqplib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chooseFreePort } from "../../src/embedded/ports.ts";
import type { GitRepository } from "../support/git-repository.ts";
import { hasRabbitmq, startRabbitmq, type TestRabbitmq } from "../support/rabbitmq.ts";
import { openBedMesh, type BedMesh } from "./support/bed-mesh.ts";
import { createBedSource } from "./support/bed-source.ts";
import { listRows, pushNodes } from "./support/push-document.ts";
import { readProvision, type Credentials } from "./support/read-provisions.ts";
import { waitFor } from "./support/wait-for.ts";

const isInstalled = await hasRabbitmq();

const asListener = (text: string): string =>
  text.replaceAll("@bed/talker", "@bed/listener").replace("module: talker", "module: listener");

/**
 * node-a                    node-b
 * talker   ── broker ────►  rabbitmq (a real broker, started by this test)
 * listener ── broker ────►
 *
 * Only node-a is ever pushed.
 */
describe.skipIf(!isInstalled)("built-store-cross-node (skipped, needs RabbitMQ)", () => {
  let mesh: BedMesh;
  let source: GitRepository;
  let broker: TestRabbitmq;
  let first: Credentials;
  const ports = { talker: 0, listener: 0 };

  beforeAll(async () => {
    ports.talker = await chooseFreePort();
    ports.listener = await chooseFreePort();
    broker = await startRabbitmq();
    source = await createBedSource([
      { module: "rabbitmq", from: "rabbitmq" },
      { module: "talker", from: "talker" },
      { module: "listener", from: "talker", edit: asListener },
    ]);
    mesh = await openBedMesh("rabbitmq");
    await mesh.addHost("node-a");
    await mesh.addHost("node-b", "--admin-password-file", broker.adminPasswordFile);
    await mesh.ask("repo", "add", "source", source.dir);
    for (const module of ["rabbitmq", "talker", "listener"])
      await mesh.ask("module", "add", module, "--repo", "source", "--path", module);
    await mesh.ask("build", "--wait");
    const settings = {
      port: broker.port,
      admin: broker.admin,
      adminUser: broker.adminUser,
      adminPasswordFile: broker.adminPasswordFile,
    };
    await mesh.ask(
      "assign",
      "node-b",
      "rabbitmq",
      ...Object.entries(settings).flatMap(([key, value]) => ["--set", `${key}=${value}`]),
    );
    await mesh.ask("declare", "node-b");
  });

  afterAll(async () => {
    await mesh?.close();
    await broker?.stop();
    await source?.remove();
  });

  /** What the service answers after a message really went through its vhost and back. */
  function readRoundTrip(port: number): Promise<string> {
    return waitFor(
      `a round trip on ${port}`,
      async () => {
        const response = await fetch(`http://127.0.0.1:${port}/`);
        return response.ok ? response.text() : null;
      },
      30_000,
    );
  }

  async function openChannel(credentials: Credentials): Promise<void> {
    const connection = await amqp.connect(credentials.url);
    await (await connection.createChannel()).close();
    await connection.close();
  }

  async function countKept(vhost: string): Promise<number> {
    const login = Buffer.from(`${broker.adminUser}:${broker.adminPassword}`).toString("base64");
    const response = await fetch(`${broker.admin}/api/queues/${encodeURIComponent(vhost)}/kept?disable_stats=false`, {
      headers: { authorization: `Basic ${login}` },
    });
    const queue = (await response.json()) as { messages?: number };
    return queue.messages ?? 0;
  }

  it("makes the vhost in the same push, names the broker's node with the reason, and the consumer connects (R18, case 16)", async () => {
    await mesh.ask("assign", "node-a", "talker", "--set", `port=${ports.talker}`);
    const push = await pushNodes(mesh, "node-a");
    expect(listRows(push)).toEqual(["node-a round 0 sent applied", "node-b round 1 sent applied"]);
    expect(push.nodes[1]?.why).toContain("talker");
    expect(await readRoundTrip(ports.talker)).toBe("from talker");
    first = await readProvision(mesh.hostFolder("node-a"), "talker", "broker");
    await openChannel(first);
  });

  it("makes a second consumer's vhost, which the first one's credentials do not open (case 16, R46)", async () => {
    await mesh.ask("assign", "node-a", "listener", "--set", `port=${ports.listener}`);
    const push = await pushNodes(mesh, "node-a");
    expect(listRows(push)).toEqual(["node-a round 0 sent applied", "node-b round 1 sent applied"]);
    expect(await readRoundTrip(ports.listener)).toBe("from listener");
    const second = await readProvision(mesh.hostFolder("node-a"), "listener", "broker");
    await expect(openChannel({ ...first, url: first.url.replace(/[^/]+$/, second.name) })).rejects.toThrow();
  });

  it("withdraws in the same push: credentials refused, the other's work, the vhost's data stays (R20, case 16)", async () => {
    await waitFor("a kept message", async () => ((await countKept(first.name)) > 0 ? true : null), 30_000);
    await mesh.ask("unassign", "node-a", "talker");
    const push = await pushNodes(mesh, "node-a");
    expect(listRows(push)).toEqual(["node-a round 0 sent applied", "node-b round 1 sent applied"]);
    await expect(openChannel(first)).rejects.toThrow(/ACCESS_REFUSED|403/);
    await openChannel(await readProvision(mesh.hostFolder("node-a"), "listener", "broker"));
    expect(await countKept(first.name)).toBeGreaterThan(0);
  });
});
