import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describeLinking } from "./c-linking.ts";
import { createAnswerMemory, createAsk } from "../../source/imports/ask-program.ts";
import { findProgram, markPrograms } from "../../source/imports/find-program.ts";

export type RustToolchain =
  | { readonly kind: "present"; readonly text: string; readonly sysroot: string }
  | { readonly kind: "absent"; readonly why: string; readonly next: string };

interface Answer {
  readonly toolchain: RustToolchain;
  /** Programs behind what is on the PATH, and what of the machine is linked in: it changes as they do. */
  readonly files: readonly string[];
}

const memory = createAnswerMemory<Answer>(({ toolchain }) => toolchain.kind === "absent");
/** Files of the answer that was kept. */
let files: readonly string[] = [];

/**
 * The real folder of rustc and cargo: what is on the PATH is often rustup's stand-in, which picks a toolchain by files
 * of the folder it runs in. Asked again when one of the programs, or rustup's choice, changed; where it did not answer, or not
 * as it should, a moment later too.
 */
export function findRustToolchain(): RustToolchain {
  const rustc = findProgram("rustc", [join(process.env["CARGO_HOME"] ?? join(homedir(), ".cargo"), "bin")]);
  const linker = findProgram("cc", ["/usr/bin"]);
  const next = "install Rust (rustup, or apt-get install cargo) and a C linker (apt-get install gcc)";
  if (rustc === null) return { kind: "absent", why: "there is no rustc on the PATH and none in ~/.cargo/bin", next };
  if (linker === null)
    return { kind: "absent", why: "there is no C linker: no cc on the PATH", next: "apt-get install gcc" };
  const rustup = join(process.env["RUSTUP_HOME"] ?? join(homedir(), ".rustup"), "settings.toml");
  const known = memory.find(markPrograms([rustc, linker, rustup, ...files]));
  if (known !== null) return known.toolchain;
  const answer = askToolchain(rustc, linker, next);
  files = answer.files;
  memory.keep(markPrograms([rustc, linker, rustup, ...files]), answer);
  return answer.toolchain;
}

function askToolchain(rustc: string, linker: string, next: string): Answer {
  const ask = createAsk();
  let programs: readonly string[] = [];
  try {
    const sysroot = realpathSync(ask(rustc, ["--print", "sysroot"]));
    const [compiler, cargo] = [join(sysroot, "bin", "rustc"), join(sysroot, "bin", "cargo")];
    programs = [compiler, cargo];
    const about = ask(compiler, ["-vV"]);
    const host = /^host: (.*)$/m.exec(about)?.[1] ?? "unknown host";
    const lines = [about, ask(cargo, ["-V"]), ask(linker, ["--version"])].map((text) => text.split("\n", 1)[0] ?? "");
    const linking = describeLinking(linker, ask);
    const text = [...lines, linking.text, host].join(", ");
    return { toolchain: { kind: "present", text, sysroot }, files: [...programs, ...linking.files] };
  } catch (error) {
    const why = error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error);
    return { toolchain: { kind: "absent", why: `the Rust toolchain does not answer: ${why}`, next }, files: programs };
  }
}
