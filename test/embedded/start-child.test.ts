import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isAlive, type ProcessIdentity } from "../../src/embedded/process-identity.ts";
import { listProcesses } from "../../src/embedded/processes.ts";
import { answersOnPort, chooseFreePort } from "../../src/embedded/ports.ts";
import { endOther, startChild, type ChildOptions } from "../../src/embedded/start-child.ts";
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

it("replaces a leftover of other code or other settings, in order, and says which; an equal one is adopted (R50)", async () => {
  const said: string[] = [];
  const now = { code: "2", settings: "a" };
  const marked = { ...options, marks: now, progress: (line: string) => void said.push(line) };
  const onTerm = `process.on("SIGTERM", () => { console.log("ended in order"); process.exit(0); });`;
  const polite = { ...marked, args: ["-e", `${onTerm}${options.args[1]}`, ...options.args.slice(2)] };
  const old = await startChild({ ...polite, marks: { code: "1", settings: "b" } });
  const second = await startChild(polite);
  expect(second).toMatchObject({ adopted: false });
  expect(second.identity?.pid).not.toBe(old.identity?.pid);
  expect(said).toEqual([expect.stringContaining("started with other code and settings; it is ended")]);
  expect(await readFile(join(folder, "listener.log"), "utf8")).toContain("ended in order");
  expect(await startChild(polite)).toMatchObject({ adopted: true, identity: second.identity });
  expect(said).toHaveLength(1);
  await second.stop();
});

it("ends a leftover of other code before the rest of its marks can be known, and leaves one of the same (R50)", async () => {
  const first = await startChild({ ...options, marks: { code: "1", settings: "a" } });
  expect(await endOther({ ...options, marks: { code: "1" } })).toMatchObject({ identity: first.identity });
  expect(await endOther({ ...options, marks: { code: "2" } })).toBeNull();
  expect(await waitUntil(none, 5_000)).toBe(true);
});

it("adopts nothing whose code nobody wrote down, as versions before this one did not (R50)", async () => {
  const first = await startChild(options);
  const file = join(folder, "listener.json");
  const { marks: _marks, ...older } = JSON.parse(await readFile(file, "utf8")) as Record<string, unknown>;
  await writeFile(file, JSON.stringify(older));
  expect(await startChild(options)).toMatchObject({ adopted: true, identity: first.identity });
  const second = await startChild({ ...options, marks: { code: "1" } });
  expect(second).toMatchObject({ adopted: false });
  await second.stop();
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
