import { chmod, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, afterEach, describe, expect, it, vi } from "vitest";
import { findPythonToolchain } from "../../src/build/builders/python-toolchain.ts";
import { findRustToolchain } from "../../src/build/builders/rust-toolchain.ts";
import { createAnswerMemory } from "../../src/source/imports/ask-program.ts";
import { findPython } from "../../src/source/imports/python-interpreter.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

let folder = "";

/** A machine whose programs are those that a test writes. */
beforeEach(async () => {
  folder = await createTemporaryFolder();
  await mkdir(join(folder, "cargo"));
  vi.stubEnv("PATH", `${folder}:/bin`);
  vi.stubEnv("CARGO_HOME", join(folder, "cargo"));
  vi.stubEnv("XDG_CACHE_HOME", folder);
});
afterEach(() => void vi.unstubAllEnvs());

/** Counts how often it is asked, then does that. */
async function install(name: string, does: string): Promise<() => Promise<number>> {
  const program = join(folder, name);
  await writeFile(program, `#!/bin/sh\necho asked >> ${program}.asked\n${does}\n`);
  await chmod(program, 0o755);
  return async () => (await readFile(`${program}.asked`, "utf8")).trim().split("\n").length;
}

/** It will not be told to end. */
const hangs = "trap '' TERM; exec sleep 600";

describe("a language's program that does not answer keeps nobody waiting again and again (R34, R11)", () => {
  it("rustc, asked once; and again when it is another one", async () => {
    await symlink("/usr/bin/true", join(folder, "cc"));
    const timesAsked = await install("rustc", hangs);
    const silent = { kind: "absent", why: expect.stringMatching(/rustc does not answer within 3 s$/) };
    for (let time = 0; time < 3; time += 1) expect(findRustToolchain()).toMatchObject(silent);
    expect(await timesAsked()).toBe(1);
    await install("rustc", "echo /nowhere # another one");
    expect(findRustToolchain()).toMatchObject({ kind: "absent", why: expect.stringContaining("/nowhere") });
    expect(await timesAsked()).toBe(2);
  }, 60_000);

  it("python3, asked once: no comparison fails, and its modules are told why", async () => {
    const timesAsked = await install("python3", hangs);
    for (let time = 0; time < 3; time += 1) expect(findPython()).toBeNull();
    expect(findPythonToolchain()).toMatchObject({
      kind: "absent",
      why: `${join(folder, "python3")} does not answer within 3 s`,
      next: expect.stringContaining("apt-get install python3"),
    });
    expect(await timesAsked()).toBe(1);
  }, 60_000);

  it("a python3 without pip, asked once; and again when a pip came", async () => {
    const answer = `{"executable": "${folder}/python3", "base": "${folder}", "version": "3.11.7", "minor": "3.11"}`;
    const pip = `{"version": "23.0", "path": "${folder}/pip", "isWheel": false}`;
    const does = `case "$*" in *ensurepip*) test -e ${folder}/pip && echo '${pip}' || exit 1;; *) echo '${answer}';; esac`;
    const timesAsked = await install("python3", does);
    const packages = join(folder, "lib", "python3.11", "site-packages");
    await mkdir(packages, { recursive: true });
    for (let time = 0; time < 3; time += 1)
      expect(findPythonToolchain()).toMatchObject({ kind: "absent", next: "apt-get install python3-pip" });
    // Who it is, and whether it has a pip.
    expect(await timesAsked()).toBe(2);
    await mkdir(join(folder, "pip"));
    await mkdir(join(packages, "pip"));
    expect(findPythonToolchain()).toMatchObject({ kind: "found", toolchain: { pip: { version: "23.0" } } });
  }, 60_000);

  it("is asked again a moment later, wherever what was missing came to; what is there is not", () => {
    let nowMs = 0;
    const memory = createAnswerMemory<string>(
      (answer) => answer === "absent",
      () => nowMs,
    );
    memory.keep("marks", "absent");
    nowMs = 29_999;
    expect([memory.find("marks"), memory.find("others")]).toEqual(["absent", null]);
    nowMs = 30_000;
    expect(memory.find("marks")).toBeNull();
    memory.keep("marks", "present");
    nowMs = 1e9;
    expect(memory.find("marks")).toBe("present");
  });
});
