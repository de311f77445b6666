import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isAlive, type ProcessIdentity } from "../../src/embedded/process-identity.ts";
import { listProcesses } from "../../src/embedded/processes.ts";
import { answersOnPort, chooseFreePort } from "../../src/embedded/ports.ts";
import { startChild, type ChildOptions } from "../../src/embedded/start-child.ts";
import { waitUntil } from "../../src/embedded/wait-until.ts";

let folder: string;
let options: ChildOptions;

/** Listens on the port, and has a child of its own that does not end by SIGTERM. */
const program = `
const child = require("node:child_process").spawn(process.execPath, ["-e", "process.on('SIGTERM',()=>{});setInterval(()=>{},1e3)"], { stdio: "ignore" });
require("node:net").createServer().listen(Number(process.argv[1]), "127.0.0.1");
console.log("child " + child.pid);
`;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mesh-child-"));
  await chmod(folder, 0o755);
  const port = await chooseFreePort();
  options = {
    name: "listener",
    runFolder: folder,
    logFolder: folder,
    file: process.execPath,
    args: ["-e", program, String(port)],
    cwd: folder,
    env: {},
    isReady: () => answersOnPort("127.0.0.1", port),
    readyTimeoutMs: 20_000,
    leftover: "adopt",
    stopSteps: [
      { signal: "SIGTERM", waitMs: 3_000 },
      { signal: "SIGKILL", waitMs: 3_000 },
    ],
  };
});
afterEach(async () => {
  for (const left of await listProcesses({ cwd: folder })) process.kill(left.pid, "SIGKILL");
  await rm(folder, { recursive: true });
});

const none = async (): Promise<boolean> => (await listProcesses({ cwd: folder })).length === 0;
const kill = async (identity: ProcessIdentity | null): Promise<void> => {
  if (identity === null) throw new Error("no identity");
  process.kill(identity.pid, "SIGKILL");
  expect(await waitUntil(() => !isAlive(identity), 5_000)).toBe(true);
};

it("ends what it started where it cannot write down that it did", async () => {
  const runFolder = join(folder, "not-there");
  await expect(startChild({ ...options, runFolder })).rejects.toThrow(/ENOENT/);
  expect(await waitUntil(none, 5_000)).toBe(true);
});

it("starts, writes a log, and stops with all that it started", async () => {
  const running = await startChild(options);
  expect(running.adopted).toBe(false);
  expect(await readFile(join(folder, "listener.log"), "utf8")).toMatch(/^child \d+/);
  await running.stop();
  expect(await waitUntil(none, 5_000)).toBe(true);
  await running.stop();
});

it("adopts what a killed start left, and can stop it (R50)", async () => {
  const first = await startChild(options);
  const second = await startChild(options);
  expect(second).toMatchObject({ adopted: true, identity: first.identity });
  await second.stop();
  expect(await waitUntil(none, 5_000)).toBe(true);
});

it("adopts a leftover that works, though a new one would not be ready for being as quiet", async () => {
  const first = await startChild(options);
  const quiet = { ...options, isReady: async () => false, isWorking: options.isReady, readyTimeoutMs: 500 };
  const second = await startChild(quiet);
  expect(second).toMatchObject({ adopted: true, identity: first.identity });
  await expect(startChild({ ...quiet, isWorking: async () => false })).rejects.toThrow("is not ready");
});

it("replaces a leftover that was started otherwise, or where that was asked", async () => {
  const first = await startChild({ ...options, args: [...options.args, "older"] });
  const second = await startChild(options);
  expect(second.identity?.pid).not.toBe(first.identity?.pid);
  const third = await startChild({ ...options, leftover: "replace" });
  expect(third).toMatchObject({ adopted: false });
  expect(third.identity?.pid).not.toBe(second.identity?.pid);
  await third.stop();
});

it("finds a leftover whose pid was never written down (R50)", async () => {
  const first = await startChild(options);
  await rm(join(folder, "listener.json"));
  const second = await startChild(options);
  expect(second.identity?.pid).not.toBe(first.identity?.pid);
  await second.stop();
});

it("starts anew after a kill -9", async () => {
  await kill((await startChild(options)).identity);
  const second = await startChild(options);
  expect(second.adopted).toBe(false);
  await second.stop();
});

it("says how a program ended that is not ready, with the end of its log", async () => {
  const failing = { ...options, args: ["-e", "console.error('no key'); process.exit(7)"] };
  await expect(startChild(failing)).rejects.toThrow(/listener ended at its start \(code 7\): no key/);
});

it("ends a program that does not get ready in time", async () => {
  const slow = { ...options, isReady: () => Promise.resolve(false), readyTimeoutMs: 300 };
  await expect(startChild(slow)).rejects.toThrow(/is not ready after 0\.3 s/);
  expect(await waitUntil(none, 5_000)).toBe(true);
});

it("says that a program is not there", async () => {
  await expect(startChild({ ...options, file: "/no/such/program" })).rejects.toThrow(/did not start/);
});
