import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundlePrograms } from "../support/bundle-programs.ts";
import { addNodes, grant, mesh, openRecords, type Records } from "../store/open-records.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

let program: string;
let folder: string;
let records: Records;

beforeAll(async () => {
  [program = ""] = await bundlePrograms([join(root, "src", "cli", "main.ts")]);
  folder = mkdtempSync(join(tmpdir(), "mesh-exit-"));
  records = await openRecords();
  await addNodes(records.db, "node-a");
  makeState("up", records.url);
  makeState("down", "postgresql://mesh:canary@127.0.0.1:1/mesh");
  const stranger = new URL(records.url);
  stranger.password = "canary";
  makeState("stranger", stranger.href);
  makeState("open-secret", records.url, 0o644);
  makeState("broken", records.url);
  writeFileSync(join(folder, "broken", "mesh.json"), "{");
});
afterAll(async () => {
  await records.close();
  rmSync(folder, { recursive: true });
});

function makeState(name: string, url: string, mode = 0o600): void {
  const state = join(folder, name);
  mkdirSync(join(state, "secrets"), { recursive: true, mode: 0o700 });
  writeFileSync(join(state, "secrets", "database-url"), url, { mode });
  const temporal = { address: "127.0.0.1:1", namespace: "default", ui: null };
  const gateway = { host: "127.0.0.1", port: 7443 };
  writeFileSync(join(state, "mesh.json"), JSON.stringify({ schema: 1, mesh, temporal, gateway, databaseRoles: true }));
}

function environment(state: string | null): NodeJS.ProcessEnv {
  const own = state === null ? {} : { MESH_STATE: join(folder, state) };
  return { PATH: process.env["PATH"], HOME: folder, ...own };
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The real program as a process of its own, in a folder without a mesh: what a script sees. */
function runProgram(state: string | null, words: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd: root, env: environment(state), timeout: 25_000 };
    const child = execFile(process.execPath, [program, ...words], options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

describe("exit codes of the real program (R48)", () => {
  it.each<readonly [string, number, string | null, string[]]>([
    ["--version", 0, null, ["--version"]],
    ["--help", 0, null, ["--help"]],
    ["help of a command", 0, null, ["push", "--help"]],
    ["a completion script", 0, null, ["completion", "bash"]],
    ["a list", 0, "up", ["node", "list"]],
    ["nothing at all", 2, null, []],
    ["an unknown command", 2, null, ["frobnicate"]],
    ["an unknown option", 2, "up", ["status", "--frobnicate"]],
    ["a hostile name", 2, "up", ["push", "../../x"]],
    ["an unknown node", 2, "up", ["push", "node-z"]],
    ["a state folder without a mesh", 2, "nowhere", ["status"]],
    ["a mesh.json that is broken", 2, "broken", ["status"]],
    ["a secret that others may read", 2, "open-secret", ["status"]],
    ["a database that refuses the password", 2, "stranger", ["status"]],
    ["a database that does not answer", 3, "down", ["status"]],
    ["a database that does not answer, while waiting", 3, "down", ["status", "--wait", "--timeout", "1"]],
    ["a push without a controller", 3, "up", ["push", "node-a"]],
  ])("%s: %i", async (_what, code, state, words) => {
    const ended = await runProgram(state, words);
    expect(ended).toMatchObject({ code });
    if (code !== 0) expect(ended.stderr).toMatch(/^mesh: /);
    expect(ended.stdout + ended.stderr).not.toContain("canary");
  });

  it("status of a node that was never told is not 0", async () => {
    expect((await runProgram("up", ["status"])).code).toBeGreaterThan(0);
  });

  it("Temporal that does not answer while a controller holds the lease: 3", async () => {
    await grant(records.db);
    expect((await runProgram("up", ["push", "node-a"])).code).toBe(3);
  });

  it("--watch ends on Ctrl-C with the last code that was known, and on a reader that went away with 3", async () => {
    const watch = () => spawn(process.execPath, [program, "status", "--watch"], { cwd: root, env: environment("up") });
    const stopped = watch();
    await new Promise((resolve) => stopped.stdout.once("data", resolve));
    stopped.kill("SIGINT");
    expect([1, 2]).toContain(await new Promise((resolve) => stopped.once("exit", resolve)));
    const unread = watch();
    unread.stdout.destroy();
    expect(await new Promise((resolve) => unread.once("exit", resolve))).toBe(3);
  });

  it.each([
    ["status --watch, once it has its line and nothing changes any more", ["status", "--watch"], "up"],
    ["the same while the records do not answer", ["status", "--watch", "--json"], "down"],
    ["a list", ["node", "list"], "up"],
    ["a help that nobody reads", ["--help"], null],
  ])("a pipe whose reader has gone ends quietly: %s", async (_what, words, state) => {
    const script = `{ "$@"; echo "ended with $?" >&2; } | head -n 1`;
    const args = ["-c", script, "sh", process.execPath, program, ...words];
    const ended = await new Promise<Ended>((resolve) => {
      const options = { cwd: root, env: environment(state), timeout: 25_000 };
      const child = execFile("sh", args, options, (_error, stdout, stderr) =>
        resolve({ code: child.exitCode, stdout, stderr }),
      );
    });
    expect(ended.code).toBe(0);
    expect(ended.stdout.split("\n")).toHaveLength(2);
    if (words.includes("--watch")) expect(ended.stderr).toMatch(/(^|\n)ended with 3\n$/);
    expect(ended.stderr).not.toMatch(/EPIPE|bug in mesh/);
  });
});
