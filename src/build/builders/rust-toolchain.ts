import { execFileSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describeLinking } from "./c-linking.ts";
import { findProgram, markPrograms } from "../../source/imports/find-program.ts";

export type RustToolchain =
  | { readonly kind: "present"; readonly text: string; readonly sysroot: string }
  | { readonly kind: "absent"; readonly why: string; readonly next: string };

interface Known {
  readonly marks: string;
  readonly toolchain: RustToolchain;
  /** What of the machine is linked in: changes as it does. */
  readonly linked: readonly string[];
}

let known: Known | null = null;

/**
 * The real folder of rustc and cargo: what is on the PATH is often rustup's stand-in, which picks a toolchain by files
 * of the folder it runs in. Asked again when one of the programs, or rustup's choice, changed.
 */
export function findRustToolchain(): RustToolchain {
  const rustc = findProgram("rustc", [join(process.env["CARGO_HOME"] ?? join(homedir(), ".cargo"), "bin")]);
  const linker = findProgram("cc", ["/usr/bin"]);
  const next = "install Rust (rustup, or apt-get install cargo) and a C linker (apt-get install gcc)";
  if (rustc === null) return { kind: "absent", why: "there is no rustc on the PATH and none in ~/.cargo/bin", next };
  if (linker === null)
    return { kind: "absent", why: "there is no C linker: no cc on the PATH", next: "apt-get install gcc" };
  const rustup = join(process.env["RUSTUP_HOME"] ?? join(homedir(), ".rustup"), "settings.toml");
  const old = known?.toolchain.kind === "present" ? known.toolchain.sysroot : null;
  const marks = markPrograms([rustc, linker, rustup, ...programsOf(old), ...(known?.linked ?? [])]);
  if (known !== null && known.toolchain.kind === "present" && known.marks === marks) return known.toolchain;
  const { toolchain, linked } = askToolchain(rustc, linker, next);
  const sysroot = toolchain.kind === "present" ? toolchain.sysroot : null;
  known = { marks: markPrograms([rustc, linker, rustup, ...programsOf(sysroot), ...linked]), toolchain, linked };
  return toolchain;
}

function askToolchain(rustc: string, linker: string, next: string): Omit<Known, "marks"> {
  try {
    const sysroot = realpathSync(ask(rustc, ["--print", "sysroot"]));
    const [compiler, cargo] = programsOf(sysroot);
    const about = ask(compiler, ["-vV"]);
    const host = /^host: (.*)$/m.exec(about)?.[1] ?? "unknown host";
    const lines = [about, ask(cargo, ["-V"]), ask(linker, ["--version"])].map((text) => text.split("\n", 1)[0] ?? "");
    const linking = describeLinking(linker, ask);
    const text = [...lines, linking.text, host].join(", ");
    return { toolchain: { kind: "present", text, sysroot }, linked: linking.files };
  } catch (error) {
    const why = error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error);
    return { toolchain: { kind: "absent", why: `the Rust toolchain does not answer: ${why}`, next }, linked: [] };
  }
}

function programsOf(sysroot: string): [string, string];
function programsOf(sysroot: string | null): string[];
function programsOf(sysroot: string | null): string[] {
  return sysroot === null ? [] : [join(sysroot, "bin", "rustc"), join(sysroot, "bin", "cargo")];
}

/** In the root folder: nothing lies there that would choose another toolchain. */
function ask(program: string, words: readonly string[]): string {
  return execFileSync(program, words, {
    cwd: "/",
    encoding: "utf8",
    timeout: 30_000,
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();
}
