import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readProcessIdentity } from "../../src/embedded/process-identity.ts";

const bin = fileURLToPath(new URL("../../bin/", import.meta.url));
let clone: string;

/** A clone with nothing in it but the commands and a lock file. */
beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), "mesh-clone-"));
  cpSync(bin, join(clone, "bin"), { recursive: true });
  writeFileSync(join(clone, "package.json"), `{"name":"clone","version":"1.0.0","type":"module"}`);
  const root = { name: "clone", version: "1.0.0" };
  writeFileSync(
    join(clone, "package-lock.json"),
    JSON.stringify({ ...root, lockfileVersion: 3, requires: true, packages: { "": root } }),
  );
});
afterEach(() => rmSync(clone, { recursive: true }));

/** Where two commands of this clone find each other's lock, in a temporary folder of its own. */
function placeLock(): { readonly lock: string; readonly env: NodeJS.ProcessEnv } {
  const folder = join(clone, "tmp");
  const digest = createHash("sha256")
    .update(`${realpathSync(clone)}/`)
    .digest("hex")
    .slice(0, 12);
  const lock = join(folder, `mesh-install-${digest}`);
  mkdirSync(lock, { recursive: true });
  return { lock, env: { ...process.env, TMPDIR: folder } };
}

const node = (...args: readonly string[]): { readonly status: number | null; readonly stderr: string } =>
  spawnSync(process.execPath, args, { encoding: "utf8", cwd: clone });

it.each(["start.js", "test.js", "build.js", "mesh.js", "bench.js", "install.js"])(
  "%s says which Node it needs, and does nothing with an older one",
  (name) => {
    const older = "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.19.9'})";
    const { status, stderr } = node("--import", older, join(clone, "bin", name));
    expect(status).toBe(2);
    expect(stderr).toMatch(/^mesh-delivery needs Node 20\.20 or newer/);
    expect(existsSync(join(clone, "node_modules"))).toBe(false);
  },
);

it("mesh.js names the next command in a clone that is not built", () => {
  const { status, stderr } = node(join(clone, "bin", "mesh.js"), "status");
  expect(status).toBe(2);
  expect(stderr).toMatch(/not built yet\nnext: npm start/);
});

it("installs once, and again after an install that was killed or a changed lock file", () => {
  const install = (): string => node(join(clone, "bin", "install.js")).stderr;
  const stamp = join(clone, "node_modules", ".mesh-install");
  expect(install()).toMatch(/installing packages by npm ci: \d+\.\d s/);
  expect(install()).toBe("");
  // What a kill leaves: packages without the stamp, which is written last.
  rmSync(stamp);
  mkdirSync(join(clone, "node_modules", "half"), { recursive: true });
  expect(install()).toMatch(/npm ci/);
  expect(existsSync(join(clone, "node_modules", "half"))).toBe(false);
  writeFileSync(join(clone, "package-lock.json"), `${readFileSync(join(clone, "package-lock.json"), "utf8")}\n`);
  expect(install()).toMatch(/npm ci/);
  expect(install()).toBe("");
}, 60_000);

it("says in one line why an install failed, and does not call it done", () => {
  writeFileSync(join(clone, "package-lock.json"), "{");
  const { status, stderr } = node(join(clone, "bin", "install.js"));
  expect(status).toBe(2);
  expect(stderr).toMatch(/\ninstall: .*ci .* ended with code 1\n$/);
  expect(existsSync(join(clone, "node_modules", ".mesh-install"))).toBe(false);
}, 60_000);

it.each([
  ["its pid is a stranger's by now", [], "%p 1"],
  ["its pid is our own by now", ["--import", "data:text/javascript,"], "self"],
])(
  "does not wait for one that was killed in a container, where %s",
  (_when, words, held) => {
    const { lock, env } = placeLock();
    const file = JSON.stringify(join(lock, "pid"));
    const own = `import { writeFileSync } from "node:fs"; writeFileSync(${file}, String(process.pid));`;
    if (held !== "self") writeFileSync(join(lock, "pid"), held.replace("%p", String(process.pid)));
    const before = words.map((word) => (word.startsWith("data:") ? `${word}${encodeURIComponent(own)}` : word));
    const args = [...before, join(clone, "bin", "install.js")];
    const { status, stderr } = spawnSync(process.execPath, args, {
      encoding: "utf8",
      cwd: clone,
      env,
      timeout: 50_000,
    });
    expect(stderr).toMatch(/^installing packages by npm ci/);
    expect(status).toBe(0);
  },
  60_000,
);

it.each([
  ["that says when it started", `${process.pid} ${readProcessIdentity(process.pid)?.startTime}`],
  ["of a version that did not say it", String(process.pid)],
])(
  "waits for one that runs, %s",
  async (_which, held) => {
    const { lock, env } = placeLock();
    writeFileSync(join(lock, "pid"), held);
    const child = spawn(process.execPath, [join(clone, "bin", "install.js")], { cwd: clone, env });
    const text: string[] = [];
    child.stderr.on("data", (chunk: Buffer) => text.push(chunk.toString()));
    await once(child.stderr, "data");
    expect(text.join("")).toMatch(/^another command works on install in this clone/);
    rmSync(lock, { recursive: true });
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(text.join("")).toMatch(/installing packages by npm ci: /);
  },
  60_000,
);

it("ends the step under way where nobody reads any more what npm start says", async () => {
  const pidFile = join(clone, "npm.pid");
  const npm = join(clone, "npm-cli.js");
  writeFileSync(
    npm,
    `(await import("node:fs")).writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => {}, 1000);`,
  );
  const child = spawn(process.execPath, [join(clone, "bin", "start.js")], {
    cwd: clone,
    env: { ...process.env, npm_execpath: npm },
    stdio: ["ignore", "ignore", "pipe"],
  });
  child.stderr.destroy();
  expect(await once(child, "exit")).toEqual([3, null]);
  // It may have been ended before it wrote its id: then it does not run either.
  const pid = existsSync(pidFile) ? Number(readFileSync(pidFile, "utf8")) : null;
  if (pid !== null) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
}, 30_000);

const canMount = process.platform === "linux" && process.getuid?.() === 0;
it.skipIf(!canMount)("start.js says once which disk has no room for what it installs (skipped, needs root)", () => {
  const small = join(clone, "small");
  mkdirSync(small);
  expect(spawnSync("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", small]).status).toBe(0);
  try {
    cpSync(bin, join(small, "bin"), { recursive: true });
    writeFileSync(join(small, "package.json"), `{"name":"clone","version":"1.0.0","type":"module"}`);
    // No lock file: the step fails whatever there is room for.
    const { status, stderr } = node(join(small, "bin", "start.js"));
    expect(status).toBe(2);
    expect(stderr.match(/the disk of .*/g)).toEqual([
      `the disk of ${realpathSync(small)}/ has 7 MiB left, and packages with what is built of them take 1024: make room on it, then npm start again`,
    ]);
  } finally {
    spawnSync("umount", [small]);
  }
});
