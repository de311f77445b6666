import { spawn } from "node:child_process";
import { fstatSync } from "node:fs";

/**
 * Calls `onGone` once nobody reads the pipe `fd` any more, also where nothing is written to it: a write alone would tell us, and
 * Node asks no pipe for its reader. `tail` does: it ends by SIGPIPE then, and with this process in any case. Of what is no
 * pipe, and where there is no such `tail`, nothing is told. Answers how to end it.
 */
export function watchReader(fd: number, onGone: () => void): () => void {
  if (!fstatSync(fd).isFIFO()) return () => undefined;
  const tail = spawn("tail", ["-f", `--pid=${process.pid}`, "/dev/null"], { stdio: ["ignore", fd, "ignore"] });
  // Not there, or not to be started: the next write tells.
  tail.once("error", () => undefined);
  tail.once("exit", (_code, signal) => {
    if (signal === "SIGPIPE") onGone();
  });
  tail.unref();
  return () => void tail.kill();
}
