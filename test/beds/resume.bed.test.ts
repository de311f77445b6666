import { spawn, type ChildProcess } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { whenThere } from "../../src/core/errors.ts";
import { createExampleMesh, readBoard, writeOnBoard, type ExampleMesh, type UpAnswer } from "./support/example-mesh.ts";
import { listMeshProcesses } from "./support/mesh-processes.ts";
import { readRecords, readSends } from "./support/read-records.ts";

/** `mesh up` with its examples: a first start, an orderly end, a second start. */
describe("a mesh that is ended and started again", () => {
  let mesh: ExampleMesh;
  let first: UpAnswer;
  let sends: readonly string[];
  let provisions: readonly object[];
  let bystander: ChildProcess;
  const row = "written before the mesh was ended";

  /** Of a person, or what the first start wrote for a machine without a sandbox. */
  const readSettings = async (): Promise<object> => {
    const text = await whenThere(readFile(join(mesh.state, "settings.json"), "utf8"));
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text ?? "{}"));
  };
  const readProvisions = () =>
    readRecords(mesh.state, "select id, version, name, state, minted_by from provision order by id, version");

  beforeAll(async () => {
    mesh = await createExampleMesh("resume");
    // Looks like a part of the mesh, and is none: same program, same folder above, almost the same words.
    const idle = "setInterval(() => undefined, 1000)";
    bystander = spawn(process.execPath, ["-e", idle, "serve", "--state", `${mesh.state}-of-somebody-else`], {
      cwd: mesh.folder,
      stdio: "ignore",
      detached: true,
    });
    first = await mesh.start();
  });

  afterAll(async () => {
    bystander?.kill("SIGKILL");
    await mesh?.close();
  });

  it("ends its first start with the delivery lines, and the example shows a row of its minted database (R15, R17)", async () => {
    expect(first.troubles).toEqual([]);
    const lines = first.modules.map((module) => module.text);
    const commit = "source [0-9a-f]{7} · built from [0-9a-f]{7} · fit";
    expect(lines).toEqual([
      expect.stringMatching(new RegExp(`^core +${commit} · declared on 0 · applied on 0$`)),
      expect.stringMatching(new RegExp(`^meshboard +${commit} · declared on 1 · applied on 1$`)),
      expect.stringMatching(new RegExp(`^postgres +${commit} · declared on 1 · applied on 1$`)),
    ]);
    expect(first.sentNow).toBe(true);
    expect(first.push?.outcome).toBe("settled");
    expect(first.push?.nodes).toMatchObject([
      { node: "node-a", round: 0, effect: "applied" },
      { node: "node-b", round: 1, effect: "applied", why: expect.stringContaining("a database for meshboard") },
    ]);
    expect(await readBoard(first.addresses.example)).toEqual(["The first row, written when this database was made."]);
    await writeOnBoard(first.addresses.example, row);
    sends = await readSends(mesh.state);
    provisions = await readProvisions();
    expect(sends).toHaveLength(3);
    console.log(`first start: ready after ${(first.readyMs / 1000).toFixed(1)} s`);
  });

  it("ends everything that it started at a Ctrl-C, services included, and nothing else", async () => {
    expect(await listMeshProcesses(mesh.state)).not.toEqual([]);
    expect(await mesh.endUp("SIGINT")).toBe(0);
    expect(await listMeshProcesses(mesh.state)).toEqual([]);
    expect(bystander.exitCode ?? bystander.signalCode).toBeNull();
    await expect(fetch(first.addresses.example)).rejects.toThrow();
  });

  it("comes back with the same databases and declarations, and sends nothing again (R50)", async () => {
    const second = await mesh.start();
    console.log(`second start: ready after ${(second.readyMs / 1000).toFixed(1)} s`);
    expect(second.troubles).toEqual([]);
    expect(second.sentNow).toBe(false);
    expect(second.addresses).toEqual(first.addresses);
    expect(second.modules).toEqual(first.modules.map(({ module, text }) => ({ module, text })));
    expect(await readBoard(second.addresses.example)).toContain(row);
    expect(await readSends(mesh.state)).toEqual(sends);
    expect(await readProvisions()).toEqual(provisions);
    const status = await mesh.run("status");
    expect(status.code, status.stdout).toBe(0);
  });

  it("comes up where the gateway is to listen elsewhere: its hosts are enrolled there, as the same hosts, and nothing is sent again (R50)", async () => {
    const readHosts = () => readRecords(mesh.state, "select name, incarnation from node order by name");
    const hosts = await readHosts();
    expect(await mesh.endUp("SIGINT")).toBe(0);
    await writeFile(
      join(mesh.state, "settings.json"),
      JSON.stringify({ ...(await readSettings()), listen: "127.0.0.2" }),
    );
    const moved = await mesh.start();
    expect(moved.troubles).toEqual([]);
    expect(moved.addresses.controller).toBe(first.addresses.controller.replace("127.0.0.1", "127.0.0.2"));
    await mesh.hears(`no more at ${first.addresses.controller}`);
    await mesh.hears("its host is enrolled (again", 2);
    expect(await readHosts()).toEqual(hosts);
    expect(await readSends(mesh.state)).toEqual(sends);
    expect(await readBoard(moved.addresses.example)).toContain(row);
    const status = await mesh.run("status");
    expect(status.code, status.stdout).toBe(0);
  });

  it("comes up where restored records have another key of a host: it is enrolled again with its own, and hears what it is told (R35)", async () => {
    const readKey = () => readRecords(mesh.state, "select incarnation, sign_key from node where name = 'node-b'");
    const own = await readKey();
    await readRecords(
      mesh.state,
      `update node set sign_key = (select sign_key from node where name = 'node-a'), incarnation = repeat('0', 16)
        where name = 'node-b'`,
    );
    expect(await mesh.endUp("SIGINT")).toBe(0);
    const restored = await mesh.start();
    expect(restored.troubles).toEqual([]);
    await mesh.hears("node-b: its host is enrolled (again: its own key is");
    expect(await readKey()).toEqual(own);
    expect(await readBoard(restored.addresses.example)).toContain(row);
    const status = await mesh.run("status");
    expect(status.code, status.stdout).toBe(0);
  });

  it("has no credential in clear in what it keeps, says and shows (R46, case 51)", async () => {
    await mesh.run("status", "--json");
    await mesh.expectNoSecret();
  });

  it("stays up where a host is refused: that is a trouble, its services are ended, and nothing is sent (R33)", async () => {
    await readRecords(
      mesh.state,
      "update node set sign_key = (select sign_key from node where name = 'node-a') where name = 'node-b'",
    );
    expect(await mesh.endUp("SIGINT")).toBe(0);
    const troubled = await mesh.start();
    expect(troubled.troubles).toEqual([expect.stringMatching(/^node-b: its host does not work.*proof-signature/)]);
    const ofHost = (await listMeshProcesses(mesh.state)).filter((one) => JSON.stringify(one).includes("hosts/node-b"));
    expect(ofHost).toEqual([]);
    expect(await mesh.endUp("SIGINT")).toBe(2);
    expect(await listMeshProcesses(mesh.state)).toEqual([]);
  });
});
