import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { InputError, UnavailableError } from "../core/errors.ts";
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
 * its standard output goes; under `--json` a document of ours stands alone on standard output.
 */
export async function runHostProgram(
  words: readonly string[],
  { signal, says = "stdout" }: { readonly signal?: AbortSignal; readonly says?: "stdout" | "stderr" } = {},
): Promise<ExitCode> {
  const stdout = says === "stderr" ? 2 : "inherit";
  const child = spawn(process.execPath, [hostProgramFile(), ...words], { stdio: ["inherit", stdout, "inherit"] });
  // Asked by a signal to this process only, it must be passed on. Ctrl-C in a terminal reaches the child too, as SIGINT:
  // for it the two are one wish to stop.
  signal?.addEventListener("abort", () => child.kill("SIGTERM"), { once: true });
  return await new Promise((resolve, reject) => {
    child.once("error", (cause) =>
      reject(new UnavailableError("the host program could not be started", "", { cause })),
    );
    child.once("exit", (code, ended) => resolve(ended === null ? asExitCode(code) : 2));
  });
}

function asExitCode(code: number | null): ExitCode {
  return code === 0 || code === 1 || code === 3 ? code : 2;
}
