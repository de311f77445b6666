import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";

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
