import { hasErrorCode } from "../core/errors.ts";
import type { ExitCode } from "../decide/exit-code.ts";
import type { CliContext, TextOutput } from "./context.ts";
import { watchReader } from "./watch-reader.ts";

export interface RealContext extends CliContext {
  /** What the process ends with whatever the command came to: its output was lost. Null: all of it was written. */
  lostOutputCode(): ExitCode | null;
}

/**
 * The context of a real process. Whose output goes away (`mesh status | head`, a closed terminal) ends at once, unless it
 * listens for an interrupt: then that is one, and what the command has begun is ended in order before the process is.
 */
export function createContext(process: NodeJS.Process): RealContext {
  let interrupt: AbortController | null = null;
  let lost: ExitCode | null = null;
  const onLost = (error: Error): void => {
    // No error of ours: nobody can tell any more what was said.
    lost ??= hasErrorCode(error, "EPIPE", "EIO") ? 3 : 2;
    if (interrupt === null) process.exit(lost);
    else interrupt.abort();
  };
  return {
    stdout: outputOf(process.stdout, onLost),
    stderr: outputOf(process.stderr, onLost),
    env: process.env,
    cwd: process.cwd(),
    now: () => new Date(),
    listenForInterrupt() {
      if (interrupt === null) {
        const controller = new AbortController();
        interrupt = controller;
        for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => controller.abort());
      }
      return interrupt.signal;
    },
    watchReader: () =>
      watchReader(1, () =>
        process.stdout.emit("error", Object.assign(new Error("nobody reads it"), { code: "EPIPE" })),
      ),
    endWithin(ms, { message, next }) {
      // Not what keeps it alive: it ends before this where it can.
      setTimeout(() => {
        process.stderr.write(`mesh: ${message}\n  next: ${next}\n`);
        process.exit(3);
      }, ms).unref();
    },
    findTightDisks: async (folders) => (await import("../disk/measure-room.ts")).findTightDisks(folders),
    openMesh: async (state, as) => (await import("./mesh-connection.ts")).openMeshConnection(state, as),
    lostOutputCode: () => lost,
  };
}

function outputOf(stream: NodeJS.WriteStream, onLost: (error: Error) => void): TextOutput {
  let isLost = false;
  stream.on("error", (error: Error) => {
    isLost = true;
    onLost(error);
  });
  return {
    isTerminal: stream.isTTY === true,
    write(text) {
      if (!isLost) stream.write(text);
    },
  };
}
