import { execFile } from "node:child_process";
import { UnavailableError } from "../core/errors.ts";
import type { RunAs } from "./run-as.ts";

export interface CommandOptions {
  readonly timeoutMs: number;
  readonly cwd?: string;
  /** The whole environment, not an addition to ours. Ours when absent. */
  readonly env?: NodeJS.ProcessEnv;
  readonly runAs?: RunAs | null;
  readonly input?: string;
}

export interface CommandOutput {
  readonly stdout: string;
  readonly stderr: string;
}

const maxOutputBytes = 16 * 1024 * 1024;

/** Runs one program to its end, without a shell. Throws UnavailableError with the end of what it said. */
export async function runCommand(
  file: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<CommandOutput> {
  return await new Promise((resolve, reject) => {
    const child = execFile(
      file,
      args,
      {
        timeout: options.timeoutMs,
        killSignal: "SIGKILL",
        maxBuffer: maxOutputBytes,
        ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
        ...(options.env === undefined ? {} : { env: options.env }),
        ...options.runAs,
      },
      (error, stdout, stderr) => {
        if (error === null) return resolve({ stdout, stderr });
        const said = lastLines(stderr.trim() === "" ? stdout : stderr, 5);
        const how = error.killed === true ? `took longer than ${options.timeoutMs / 1000} s` : readEnd(error);
        reject(new UnavailableError(`${file} ${how}${said === "" ? "" : `: ${said}`}`, "", { cause: error }));
      },
    );
    // A program that ends before it has read its input breaks the pipe; its exit code says more than that.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(options.input ?? "");
  });
}

function readEnd(error: NodeJS.ErrnoException | { code?: unknown; signal?: unknown }): string {
  if (error.code === "ENOENT") return "was not found";
  if (error.code === "EACCES") return "may not be run";
  if (typeof error.code === "number") return `ended with code ${error.code}`;
  return "signal" in error && typeof error.signal === "string" ? `ended by ${error.signal}` : "could not be run";
}

export function lastLines(text: string, count: number): string {
  return text.trim().split("\n").slice(-count).join("\n");
}
