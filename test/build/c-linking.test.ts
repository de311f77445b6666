import { execFileSync } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { describeLinking } from "../../src/build/builders/c-linking.ts";
import { findRustToolchain } from "../../src/build/builders/rust-toolchain.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const ask = (program: string, words: readonly string[]): string =>
  execFileSync(program, words, { encoding: "utf8" }).trim();

async function writeProgram(path: string, text: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${text}\n`);
  await chmod(path, 0o755);
}

/** A machine of a test's own: a compiler that says where its linker and its libraries are. */
async function createMachine() {
  const root = await createTemporaryFolder();
  const library = join(root, "lib");
  await mkdir(library);
  const [cc, ld] = [join(root, "cc"), join(root, "ld")];
  await writeProgram(
    cc,
    `case "$1" in -print-prog-name=ld) echo ${ld};; -print-search-dirs) echo 'install: /x'; echo 'libraries: =/nowhere:${library}';; *) echo 'cc 1';; esac`,
  );
  await writeProgram(ld, "echo 'GNU ld 2.40'");
  for (const name of ["libc.so.6", "crt1.o"]) await writeFile(join(library, name), `${name} of 2.36`);
  return { cc, ld, library, read: () => describeLinking(cc, ask) };
}

describe("what of the machine is linked into a program (R8)", () => {
  it("is another with another linker, and with other bytes of the C library or the start of a program", async () => {
    const { ld, library, read } = await createMachine();
    const seen = [read().text];
    expect(seen[0]).toMatch(/^GNU ld 2\.40, C library [0-9a-f]{12}$/);
    expect(read().text).toBe(seen[0]);
    await writeProgram(ld, "echo 'GNU ld 2.41'");
    seen.push(read().text);
    for (const name of ["libc.so.6", "crt1.o", "libgcc.a"]) {
      await writeFile(join(library, name), `${name} of 2.37`);
      seen.push(read().text);
    }
    expect(new Set(seen).size).toBe(5);
  });

  it("is read again when one of its files changes: they are named", async () => {
    const { ld, library, read } = await createMachine();
    expect(read().files).toEqual([ld, join(library, "crt1.o"), join(library, "libc.so.6")]);
  });

  it("cannot be told where there is no linker", async () => {
    const { cc, read } = await createMachine();
    await writeProgram(cc, `case "$1" in -print-prog-name=ld) echo /nowhere/ld;; esac`);
    expect(read).toThrow(/no linker/);
  });

  it.runIf(findRustToolchain().kind === "present")(
    "is in the toolchain of Rust, and another `ld` on the PATH makes it another",
    { timeout: 120_000 },
    async () => {
      const text = (): string => {
        const found = findRustToolchain();
        return found.kind === "present" ? found.text : found.why;
      };
      const before = text();
      expect(before).toContain(describeLinking("/usr/bin/cc", ask).text);
      const folder = await createTemporaryFolder();
      await writeProgram(join(folder, "ld"), "echo 'another linker 9'");
      await writeProgram(
        join(folder, "cc"),
        `case "$1" in -print-prog-name=ld) echo ${join(folder, "ld")};; *) exec /usr/bin/cc "$@";; esac`,
      );
      vi.stubEnv("PATH", `${folder}:${process.env["PATH"]}`);
      onTestFinished(() => void vi.unstubAllEnvs());
      expect(text()).toContain("another linker 9");
    },
  );
});
