import { execFile } from "node:child_process";
import { join } from "node:path";
import type { Settings } from "./settings.ts";

/** Runs one of PostgreSQL's own programs to its end. Throws with what it said. */
export async function runTool(settings: Settings, tool: "initdb" | "pg_ctl", args: readonly string[]): Promise<void> {
  const result = await tryTool(settings, tool, args);
  if (result.code !== 0) throw new Error(`${tool} ended with ${result.code}: ${result.said.slice(-800)}`);
}

/** The exit code is the answer (`pg_ctl status`: 0 runs, 3 does not). */
export async function tryTool(
  settings: Settings,
  tool: "initdb" | "pg_ctl",
  args: readonly string[],
): Promise<{ code: number; said: string }> {
  return await new Promise((resolve, reject) => {
    execFile(
      join(settings.binDir, tool),
      [...args],
      { timeout: 120_000, env: { PATH: process.env["PATH"], LC_ALL: "C" } },
      (error, stdout, stderr) => {
        if (error === null) resolve({ code: 0, said: stdout });
        else if (typeof error.code === "number") resolve({ code: error.code, said: `${stdout}${stderr}`.trim() });
        else reject(new Error(`${tool} in ${settings.binDir} could not be run: ${error.message}`, { cause: error }));
      },
    );
  });
}
