import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { whenThere } from "../../src/core/errors.ts";
import { createExampleMesh, readBoard, writeOnBoard, type ExampleMesh, type UpAnswer } from "./support/example-mesh.ts";
import { killMeshProcesses, listMeshProcesses } from "./support/mesh-processes.ts";
import { readRecords, readSends } from "./support/read-records.ts";
import { waitFor } from "./support/wait-for.ts";

/**
 * `mesh up` with its examples, under kill -9: in the middle of the first start, of each part alone while it runs, of the
 * controller under a push, and of the whole of it.
 */
describe("a mesh under kill -9", () => {
  let mesh: ExampleMesh;
  let up: UpAnswer;
  const row = "written before the kills";

  beforeAll(async () => {
    mesh = await createExampleMesh("kill");
  });

  afterAll(async () => {
    await mesh?.close();
  });

  async function readPid(part: string): Promise<number> {
    if (part !== "PostgreSQL") {
      const file = await readFile(join(mesh.state, "run", `${part}.json`), "utf8");
      return z.object({ identity: z.object({ pid: z.number() }) }).parse(JSON.parse(file)).identity.pid;
    }
    const folder = (await readdir(mesh.state)).find((name) => /^postgres-\d+$/.test(name)) ?? "";
    const file = await readFile(join(mesh.state, folder, "postmaster.pid"), "utf8");
    return z.coerce.number().int().min(2).parse(file.split("\n")[0]);
  }

  /** Every part answers, and each node is what it was told to be. */
  async function expectWhole(): Promise<void> {
    const status = await waitFor(
      "mesh status is settled",
      async () => {
        const answer = await mesh.run("status");
        return answer.code === 0 ? answer : Promise.reject(new Error(`${answer.stdout}${answer.stderr}`));
      },
      60_000,
    );
    expect(status.stdout).not.toContain("no controller acts");
    expect(await readBoard(up.addresses.example)).toContain(row);
  }

  async function listServices(): Promise<readonly number[]> {
    const modules = join(mesh.state, "hosts");
    return (await listMeshProcesses(mesh.state))
      .filter(({ words }) => words[0] === process.execPath && words[1]?.startsWith(modules))
      .map(({ pid }) => pid)
      .toSorted((a, b) => a - b);
  }

  async function countServices(): Promise<number> {
    return (await listServices()).length;
  }

  it.each([
    ["PostgreSQL's folder is made", "made its folder", "up alone"],
    ["a module is built and another waits for it", "core: fit", "all of it"],
    ["the provider's push is under way", "node-b: sent", "up alone"],
  ])("is killed in its first start when %s (%s: %s)", async (_when, words, what) => {
    mesh.begin();
    await mesh.hears(words);
    await mesh.endUp("SIGKILL");
    if (what === "all of it") await killMeshProcesses(mesh.state);
  });

  it("completes that first start at the next one, each declaration made once (case 37, R50)", async () => {
    up = await mesh.start();
    console.log(`first start, completed after three kills: ready after ${(up.readyMs / 1000).toFixed(1)} s`);
    expect(up.troubles).toEqual([]);
    expect(up.modules.map((module) => module.text)).toEqual([
      expect.stringMatching(/^core .* fit · declared on 0 · applied on 0$/),
      expect.stringMatching(/^meshboard .* fit · declared on 1 · applied on 1$/),
      expect.stringMatching(/^postgres .* fit · declared on 1 · applied on 1$/),
    ]);
    await writeOnBoard(up.addresses.example, row);
    expect(await readSends(mesh.state)).toEqual([
      expect.stringMatching(/^node-b \d+\.1 /),
      expect.stringMatching(/^node-a \d+\.2 /),
      expect.stringMatching(/^node-b \d+\.3 /),
    ]);
    const provisions = await readRecords<{ version: number }>(mesh.state, "select version from provision");
    expect(provisions).toEqual([{ version: 1 }]);
    await expectWhole();
  });

  it.each([
    ["Temporal", "temporal"],
    ["PostgreSQL", "PostgreSQL"],
    ["host node-a", "host-node-a"],
    ["host node-b", "host-node-b"],
  ])("brings %s back while nothing is under way, and nothing is sent twice (R50, %s)", async (name, file) => {
    const sends = await readSends(mesh.state);
    const from = performance.now();
    process.kill(await readPid(file), "SIGKILL");
    // The example needs none of them to answer.
    expect(await readBoard(up.addresses.example)).toContain(row);
    await mesh.hears(`${name}: runs again`);
    console.log(`${name}: back after ${((performance.now() - from) / 1000).toFixed(1)} s`);
    await expectWhole();
    expect(await countServices()).toBe(2);
    expect(await readSends(mesh.state)).toEqual(sends);
  });

  it("brings the controller back, and a push under way ends on the new one, its effect there once (R50, cases 37, 44)", async () => {
    const before = await readSends(mesh.state);
    const moved = up.addresses.example.replace("127.0.0.1", "127.0.0.2");
    const settings = ["--set", `port=${new URL(moved).port}`, "--set", "listen=127.0.0.2"];
    expect((await mesh.run("assign", "node-a", "meshboard", ...settings)).code).toBe(0);
    const pushes = "select count(*)::int as count from push";
    const [{ count } = { count: -1 }] = await readRecords<{ count: number }>(mesh.state, pushes);
    const push = mesh.run("push", "node-a", "--timeout", "90");
    await waitFor(
      "the push is in the records",
      async () => ((await readRecords<{ count: number }>(mesh.state, pushes))[0]?.count === count + 1 ? true : null),
      30_000,
    );
    const from = performance.now();
    process.kill(await readPid("controller"), "SIGKILL");
    const ended = await push;
    console.log(`a push under a killed controller: ended after ${((performance.now() - from) / 1000).toFixed(1)} s`);
    expect(ended.code, `${ended.stdout}${ended.stderr}`).toBe(0);
    const after = await readSends(mesh.state);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.slice(before.length)).toEqual([expect.stringMatching(/^node-a /)]);
    up = { ...up, addresses: { ...up.addresses, example: moved } };
    await mesh.hears("controller: runs again");
    await expectWhole();
    expect(await countServices()).toBe(2);
  });

  it("is all back at the next start after a kill of the whole of it, and sends nothing (R50)", async () => {
    const sends = await readSends(mesh.state);
    const { example } = up.addresses;
    process.kill((await listMeshProcesses(mesh.state)).find(({ words }) => words.includes("up"))?.pid ?? 0, "SIGKILL");
    const killed = await killMeshProcesses(mesh.state);
    expect(killed).toBeGreaterThan(6);
    up = await mesh.start();
    console.log(`after a kill of the whole of it: ready after ${(up.readyMs / 1000).toFixed(1)} s`);
    expect(up.troubles).toEqual([]);
    expect(up.sentNow).toBe(false);
    up = { ...up, addresses: { ...up.addresses, example } };
    await expectWhole();
    expect(await countServices()).toBe(2);
    expect(await readSends(mesh.state)).toEqual(sends);
  });

  it("adopts what a killed `up` left running", async () => {
    const sends = await readSends(mesh.state);
    const { example } = up.addresses;
    const pids = async () =>
      Promise.all(["PostgreSQL", "temporal", "controller", "host-node-a", "host-node-b"].map(readPid));
    const before = await pids();
    await mesh.endUp("SIGKILL");
    expect(await readBoard(example)).toContain(row);
    up = await mesh.start();
    console.log(`after a kill of \`up\` alone: ready after ${(up.readyMs / 1000).toFixed(1)} s`);
    up = { ...up, addresses: { ...up.addresses, example } };
    expect(await pids()).toEqual(before);
    expect(up.sentNow).toBe(false);
    expect(await readSends(mesh.state)).toEqual(sends);
  });

  it("replaces what a killed `up` left of other code or other settings, and no service stops for it (R44, R50)", async () => {
    const sends = await readSends(mesh.state);
    const { example } = up.addresses;
    const parts = ["PostgreSQL", "temporal", "host-node-b", "controller", "host-node-a"];
    const pids = async () => Promise.all(parts.map(readPid));
    const [before, served] = [await pids(), await listServices()];
    await mesh.endUp("SIGKILL");
    // As a version before an update would have written it.
    for (const part of ["controller", "host-node-a"]) {
      const file = join(mesh.state, "run", `${part}.json`);
      const text = await readFile(file, "utf8");
      expect(text).toMatch(/"code":"[0-9a-f]{64}"/);
      await writeFile(file, text.replace(/"code":"[0-9a-f]{64}"/, '"code":"before the update"'));
    }
    up = await mesh.start();
    await mesh.hears("controller: one that runs was started with other code;");
    await mesh.hears("host-node-a: one that runs was started with other code;");
    const after = await pids();
    expect(after.slice(0, 3)).toEqual(before.slice(0, 3));
    expect(after[3]).not.toBe(before[3]);
    expect(after[4]).not.toBe(before[4]);
    expect(await listServices()).toEqual(served);
    // It gave its lease back, and nobody had to wait for that to age.
    const grants = "select ended from epoch_grant order by epoch";
    expect((await readRecords<{ ended: string | null }>(mesh.state, grants)).slice(-2)).toEqual([
      { ended: "given-back" },
      { ended: null },
    ]);

    await mesh.endUp("SIGKILL");
    const settings = join(mesh.state, "settings.json");
    const kept = z
      .record(z.string(), z.unknown())
      .parse(JSON.parse((await whenThere(readFile(settings, "utf8"))) ?? "{}"));
    await writeFile(settings, JSON.stringify({ ...kept, pollIntervalMs: 2_500 }));
    up = await mesh.start();
    await mesh.hears("controller: one that runs was started with other settings or keys;");
    const last = await pids();
    expect([...last.slice(0, 3), last[4]]).toEqual([...after.slice(0, 3), after[4]]);
    expect(last[3]).not.toBe(after[3]);
    expect(up.sentNow).toBe(false);
    up = { ...up, addresses: { ...up.addresses, example } };
    await expectWhole();
    expect(await readSends(mesh.state)).toEqual(sends);
  });

  it("has no credential in clear in what it keeps, says and shows after all of that (R46, case 51)", async () => {
    await mesh.run("status", "--json");
    await mesh.expectNoSecret();
  });

  it("ends all of it at a Ctrl-C, also the services of a host that was killed", async () => {
    // A host that is killed just before ends none of its services itself.
    process.kill(await readPid("host-node-b"), "SIGKILL");
    expect(await mesh.endUp("SIGINT")).toBe(0);
    expect(await listMeshProcesses(mesh.state)).toEqual([]);
  });
});
