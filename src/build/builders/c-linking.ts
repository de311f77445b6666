import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { findProgram } from "../../source/imports/find-program.ts";

/** What of this machine is linked into a program, or decides how. */
export interface CLinking {
  /** e.g. `GNU ld (GNU Binutils for Debian) 2.40, C library 3f2a9c1e0b7d` */
  readonly text: string;
  /** Of these it is a function: asked again when one of them changed. */
  readonly files: readonly string[];
}

/** Start and end of each program, the C library's and the compiler's own, shared and static: what a linker takes by itself. */
const linkedFiles = [
  "crt1.o",
  "Scrt1.o",
  "crti.o",
  "crtn.o",
  "crtbegin.o",
  "crtbeginS.o",
  "crtend.o",
  "crtendS.o",
  "libc.so.6",
  "libc.so",
  "libc_nonshared.a",
  "libm.so.6",
  "libgcc.a",
  "libgcc_eh.a",
  "libgcc_s.so.1",
];

/**
 * By the C compiler that links (`cc`): its linker, and the files that it finds. By their bytes, for a distribution mends a C
 * library without another number. `ask` runs a program and gives what it says.
 */
export function describeLinking(cc: string, ask: (program: string, words: readonly string[]) => string): CLinking {
  const named = ask(cc, ["-print-prog-name=ld"]);
  const linker = isAbsolute(named) ? named : findProgram(named);
  if (linker === null || !existsSync(linker)) throw new Error(`there is no linker: ${cc} looks for ${named}`);
  const folders = /^libraries: =?(.*)$/m.exec(ask(cc, ["-print-search-dirs"]))?.[1]?.split(delimiter) ?? [];
  const files = linkedFiles.flatMap((name) => {
    const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
    return found === undefined ? [] : [{ name, path: found }];
  });
  const hash = createHash("sha256");
  for (const { name, path } of files) hash.update(`${name} ${sha256(path)}\n`);
  const version = ask(linker, ["--version"]).split("\n", 1)[0] ?? "";
  const library = hash.digest("hex").slice(0, 12);
  return { text: `${version}, C library ${library}`, files: [linker, ...files.map(({ path }) => path)] };
}

function sha256(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}
