import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { execFileSync } from "node:child_process";
import { afterEach, beforeEach, expect, it } from "vitest";

const source = fileURLToPath(new URL("../../../src/source/imports/python-interpreter.ts", import.meta.url));
let folder: string;

/** A `python3` that counts how often it is asked, and says where another program is. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mesh-python-"));
  mkdirSync(join(folder, "bin"));
  mkdirSync(join(folder, "real"));
  installReal("3.11.7");
  const answer = `{"executable": "${folder}/real/python", "base": "/usr", "version": "'$(cat ${folder}/real/python)'", "minor": "3.11"}`;
  writeFileSync(join(folder, "bin", "python3"), `#!/bin/sh\necho asked >> ${folder}/asked\necho '${answer}'\n`);
  chmodSync(join(folder, "bin", "python3"), 0o755);
});
afterEach(() => rmSync(folder, { recursive: true }));

function installReal(version: string): void {
  rmSync(join(folder, "real", "python"), { force: true });
  writeFileSync(join(folder, "real", "python"), version);
}

/** As a process of its own, which knows nothing. */
function findVersion(): string | undefined {
  const env = {
    ...process.env,
    PATH: `${join(folder, "bin")}${delimiter}/usr/bin${delimiter}/bin`,
    XDG_CACHE_HOME: folder,
  };
  const code = `const { findPython } = await import(${JSON.stringify(source)}); console.log(findPython()?.version);`;
  return execFileSync(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", code], { env })
    .toString()
    .trim();
}

const timesAsked = (): number => readFileSync(join(folder, "asked"), "utf8").trim().split("\n").length;
function keptFile(): string {
  const kept = join(folder, "mesh-delivery", "python");
  const [name, ...others] = readdirSync(kept);
  expect(others).toEqual([]);
  return join(kept, name ?? "none");
}

it("is asked once by all processes, and again when the program that it named was replaced", () => {
  expect([findVersion(), findVersion(), timesAsked()]).toEqual(["3.11.7", "3.11.7", 1]);
  installReal("3.11.20");
  expect([findVersion(), findVersion(), timesAsked()]).toEqual(["3.11.20", "3.11.20", 2]);
}, 120_000);

it("is asked again where others may have written the answer, or it cannot be read", () => {
  findVersion();
  const file = keptFile();
  const good = readFileSync(file, "utf8");
  const evil = good.replace(`"version":"3.11.7"`, `"version":"3.11.6"`);
  expect(evil).not.toBe(good);
  writeFileSync(file, evil);
  // So it is taken from there.
  expect(findVersion()).toBe("3.11.6");
  chmodSync(file, 0o666);
  expect(findVersion()).toBe("3.11.7");
  expect(timesAsked()).toBe(2);
  writeFileSync(join(folder, "evil"), evil);
  rmSync(file);
  symlinkSync(join(folder, "evil"), file);
  expect(findVersion()).toBe("3.11.7");
  expect(timesAsked()).toBe(3);
  writeFileSync(file, `{"marks": 1`);
  expect(findVersion()).toBe("3.11.7");
  expect(timesAsked()).toBe(4);
}, 120_000);
