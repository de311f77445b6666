import type { CliContext, TextOutput } from "./context.ts";

/** The context of a real process. */
export function createContext(process: NodeJS.Process): CliContext {
  let interrupt: AbortController | null = null;
  return {
    stdout: outputOf(process.stdout),
    stderr: outputOf(process.stderr),
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
    openMesh: async (state, as) => (await import("./mesh-connection.ts")).openMeshConnection(state, as),
  };
}

function outputOf(stream: NodeJS.WriteStream): TextOutput {
  return {
    isTerminal: stream.isTTY === true,
    write: (text) => void stream.write(text),
  };
}
