import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";

const bin = fileURLToPath(new URL("../../bin/", import.meta.url));
let clone: string;
let code: string;

/** A clone whose only command says a word, and that it is run from the bundle. */
beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), "mesh-bundle-"));
  code = join(clone, "dist", "code");
  cpSync(bin, join(clone, "bin"), { recursive: true });
  mkdirSync(join(clone, "dist", "cli"), { recursive: true });
  mkdirSync(join(clone, "node_modules"));
  mkdirSync(code, { mode: 0o755 });
  chmodSync(code, 0o755);
  writeFileSync(join(clone, "package.json"), `{"type":"module"}`);
  writeFileSync(join(clone, "node_modules", ".mesh-install"), "");
  writeFileSync(join(clone, "dist", "cli", "main.js"), `console.log("from its modules")`);
  bundleThat("says good");
});
afterEach(() => rmSync(clone, { recursive: true }));

function bundleThat(says: string, exitCode = 0): void {
  const body = `exports.command = "say"; console.log("${says}"); process.exitCode = ${exitCode};`;
  const stamp = createHash("sha256").update(body).digest("hex").slice(0, 32);
  writeFileSync(
    join(clone, "dist", "mesh-command.cjs"),
    `(function (exports, require, module, __filename, __dirname) { // ${stamp}\n${body}\n})`,
  );
}

function mesh(...args: readonly string[]): string {
  return meshIn({}, ...args);
}

function meshIn(env: Readonly<Record<string, string>>, ...args: readonly string[]): string {
  const { MESH_DEBUG: _, ...inherited } = process.env;
  const options = { encoding: "utf8", env: { ...inherited, ...env } } as const;
  const { stdout, stderr } = spawnSync(process.execPath, [join(clone, "bin", "mesh.js"), ...args], options);
  expect(stderr).toBe("");
  return stdout.trim();
}

const kept = (): string[] => readdirSync(code);
function keptFile(): string {
  const [name, ...others] = kept();
  expect(others).toEqual([]);
  return join(code, name ?? "none");
}

/** V8 looks at the length of the source only: a cache of other code of the same length runs that other code. */
function plant(): void {
  const good = readFileSync(join(clone, "dist", "mesh-command.cjs"));
  mesh("say");
  const file = keptFile();
  bundleThat("says evil");
  const evil = readFileSync(join(clone, "dist", "mesh-command.cjs"), "utf8");
  const stamp = /[0-9a-f]{32}/.exec(good.toString())?.[0] ?? "";
  rmSync(file);
  writeFileSync(join(clone, "dist", "mesh-command.cjs"), evil.replace(/[0-9a-f]{32}/, stamp));
  mesh("say");
  writeFileSync(join(clone, "dist", "mesh-command.cjs"), good);
}

it("keeps what was compiled by the command and its options, and the next run takes it", () => {
  expect(mesh("say")).toBe("says good");
  const first = readFileSync(keptFile());
  expect(mesh("say")).toBe("says good");
  expect(readFileSync(keptFile())).toEqual(first);
  expect(mesh("say", "--json", "--state", "x")).toBe("says good");
  expect(readFileSync(keptFile()).toString("latin1")).toMatch(/\n--json --state....$/s);
  plant();
  expect(mesh("say")).toBe("says evil");
});

it("takes nothing from a file or a folder that others may write", () => {
  plant();
  const file = keptFile();
  chmodSync(file, 0o666);
  expect(mesh("say")).toBe("says good");
  plant();
  chmodSync(code, 0o777);
  expect(mesh("say")).toBe("says good");
  expect(kept()).toHaveLength(1);
});

it("takes nothing that belongs to somebody else than the bundle does", (test) => {
  if (process.getuid?.() !== 0) return test.skip("only root can give a file away");
  plant();
  spawnSync("chown", ["12345", keptFile()]);
  expect(mesh("say")).toBe("says good");
});

it("runs the code all the same when what was kept is cut short, of another kind or of another bundle", () => {
  mesh("say");
  const file = keptFile();
  const whole = readFileSync(file);
  for (const broken of ["", "nothing", whole.subarray(0, -200), whole.subarray(200), Buffer.alloc(5_000, 255)]) {
    writeFileSync(file, broken);
    expect(mesh("say")).toBe("says good");
    expect(readFileSync(keptFile()).subarray(0, 16)).toEqual(whole.subarray(0, 16));
  }
  bundleThat("says more");
  expect(mesh("say")).toBe("says more");
  expect(kept()).toHaveLength(2);
});

it("takes nothing in a clone that was moved: an import would be looked for where it was before", () => {
  plant();
  const moved = `${clone}-moved`;
  renameSync(clone, moved);
  clone = moved;
  code = join(clone, "dist", "code");
  expect(mesh("say")).toBe("says good");
});

it("keeps nothing of a run that failed or only printed help", () => {
  mesh("say", "--help");
  bundleThat("says good", 2);
  mesh("say");
  expect(kept()).toEqual([]);
});

it("runs the modules for what runs for hours, for a stack with names of files, and where there is no bundle", () => {
  expect(mesh("serve", "--state", "x")).toBe("from its modules");
  expect(mesh("--state", "x", "up")).toBe("from its modules");
  expect(meshIn({ MESH_DEBUG: "1" }, "say")).toBe("from its modules");
  copyFileSync(join(clone, "package.json"), join(clone, "dist", "mesh-command.cjs"));
  expect(mesh("say")).toBe("from its modules");
  rmSync(join(clone, "dist", "mesh-command.cjs"));
  expect(mesh("say")).toBe("from its modules");
});
