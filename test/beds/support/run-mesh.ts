import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

export const program = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));
/** What a person types: the command from its one file, where that serves (decision 0029). */
const command = fileURLToPath(new URL("../../../bin/mesh.js", import.meta.url));
export const hostProgram = fileURLToPath(new URL("../../../dist/mesh-host.cjs", import.meta.url));

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** One command as a process of its own; any exit code is an answer. */
export function runMesh(state: string, args: readonly string[], waitMs = 600_000): Promise<Ran> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [command, ...args, "--state", state],
      { timeout: waitMs, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : error.code;
        if (typeof code !== "number")
          reject(new Error(`mesh ${args.join(" ")} did not end: ${stderr}`, { cause: error }));
        else resolve({ code, stdout, stderr });
      },
    );
  });
}
