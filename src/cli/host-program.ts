import { spawn } from "node:child_process";
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
  { signal, says = "stdout", file }: HostProgramOptions = {},
): Promise<ExitCode> {
  const stdout = says === "stderr" ? 2 : "inherit";
  const child = spawn(process.execPath, [file ?? hostProgramFile(), ...words], {
    stdio: ["inherit", stdout, "inherit"],
  });
  // Asked by a signal to this process only, it must be passed on. Ctrl-C in a terminal reaches the child too, as SIGINT:
  // for it the two are one wish to stop.
  signal?.addEventListener("abort", () => child.kill("SIGTERM"), { once: true });
  return await new Promise((resolve, reject) => {
    child.once("error", (cause) =>
      reject(new UnavailableError("the host program could not be started", "", { cause })),
    );
    child.once("exit", (code, ended) => {
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

/** Throws what a host program that ended badly has said already, by its own code: its *cannot tell* stays one. */
export function expectHostDone(code: ExitCode, what: string, next: string): void {
  if (code === 3) throw new UnavailableError(what, "why is said above; then type it again");
  if (code !== 0) throw new InputError(what, next);
}

function asExitCode(code: number | null): ExitCode {
  return code === 0 || code === 1 || code === 3 ? code : 2;
}
