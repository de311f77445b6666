import { spawn, type ChildProcess } from "node:child_process";
import { createWriteStream } from "node:fs";

export interface Process {
  readonly pid: number;
  readonly child: ChildProcess;
  readonly stdout: () => string;
  /** Sends the signal to this process only and waits until it is gone. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/** A process of its own in its own group, as a service manager would start it; stderr goes into a file. */
export function startProcess(
  args: readonly string[],
  options: { logFile: string; env?: NodeJS.ProcessEnv; cwd?: string },
): Process {
  const child = spawn(process.execPath, [...args], {
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
    env: { ...process.env, ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  const log = createWriteStream(options.logFile, { flags: "a" });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    log.write(text);
  });
  // Both streams write into the log: neither of them may end it.
  child.stderr.pipe(log, { end: false });
  const ended = new Promise<number | null>((resolve) =>
    child.once("close", (code) => {
      log.end();
      resolve(code);
    }),
  );
  if (child.pid === undefined) throw new Error(`could not start ${args.join(" ")}`);
  return {
    pid: child.pid,
    child,
    stdout: () => stdout,
    async end(signal = "SIGTERM") {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return ended;
    },
  };
}
