import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { InputError, UnavailableError } from "../core/errors.ts";
import { interrupted } from "./interrupted.ts";
import type { ExitCode } from "../decide/exit-code.ts";

/** The host in one file, as it is copied to machines: `dist/mesh-host.cjs`. */
export function hostProgramFile(): string {
  // From src/cli and from dist/cli alike.
  const file = fileURLToPath(new URL("../../dist/mesh-host.cjs", import.meta.url));
  if (!existsSync(file)) throw new InputError(`the host program ${file} is not built`, "npm run build");
  return file;
}

/**
 * Runs the host program in the foreground with these words, and answers with its exit code (R48's, like ours). `says`: where
 * its standard output goes; under `--json` a document of ours stands alone on standard output. Throws UnavailableError where
 * it was ended by a signal: how far it came it could not say.
 */
export async function runHostProgram(
  words: readonly string[],
  { says = "stdout", ...options }: HostProgramOptions = {},
): Promise<ExitCode> {
  return await endOf(start(words, options.file, [says === "stderr" ? 2 : "inherit", "inherit"]), options.signal);
}

/**
 * The same for what is done in a moment, and fails in words of its own: throws them, with its remedy, as an error of ours.
 * What else it said goes to `note` once it has ended.
 */
export async function askHostProgram(
  words: readonly string[],
  {
    what,
    note,
    says = "stdout",
    ...options
  }: HostProgramOptions & { readonly what: string; readonly note: (text: string) => void },
): Promise<ExitCode> {
  const child = start(words, options.file, [says === "stderr" ? 2 : "inherit", "pipe"]);
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (said = `${said}${text}`.slice(-saidLimit)));
  const code = await endOf(child, options.signal);
  const at = code === 0 ? -1 : said.lastIndexOf(prefix);
  const notes = at === -1 ? said : said.slice(0, at);
  if (notes !== "") note(notes);
  if (code === 0) return code;
  const [why = "", ...next] =
    at === -1
      ? []
      : said
          .slice(at + prefix.length)
          .trimEnd()
          .split("\n");
  const message = why === "" ? what : `${what}: ${why}`;
  if (code === 3) throw new UnavailableError(message, next.join(" ") || "type it again");
  throw new InputError(message, next.join(" "));
}

const saidLimit = 64_000;
/** Of each sentence that the host program says of itself; behind the last one is its remedy. */
const prefix = "mesh-host: ";

function start(
  words: readonly string[],
  file: string | undefined,
  [stdout, stderr]: readonly ["inherit" | 2, "inherit" | "pipe"],
): ChildProcess {
  return spawn(process.execPath, [file ?? hostProgramFile(), ...words], { stdio: ["inherit", stdout, stderr] });
}

async function endOf(child: ChildProcess, signal: AbortSignal | undefined): Promise<ExitCode> {
  // Asked by a signal to this process only, it must be passed on. Ctrl-C in a terminal reaches the child too, as SIGINT:
  // for it the two are one wish to stop.
  signal?.addEventListener("abort", () => child.kill("SIGTERM"), { once: true });
  return await new Promise((resolve, reject) => {
    child.once("error", (cause) =>
      reject(new UnavailableError("the host program could not be started", "", { cause })),
    );
    // Not `exit`: what it said last is read by then.
    child.once("close", (code, ended) => {
      if (ended === null) resolve(asExitCode(code));
      else if (signal?.aborted) reject(interrupted());
      else reject(new UnavailableError(`the host program was ended by ${ended}`, "see what ended it, then try again"));
    });
  });
}

interface HostProgramOptions {
  readonly signal?: AbortSignal;
  readonly says?: "stdout" | "stderr";
  /** Left out: the one beside this code. */
  readonly file?: string;
}

function asExitCode(code: number | null): ExitCode {
  return code === 0 || code === 1 || code === 3 ? code : 2;
}
