import type { Sandbox } from "./sandbox.ts";

export interface OutputRecorder {
  readonly sandbox: Sandbox;
  /** What a builder says by itself; what it repeats of a run's output is not kept twice. */
  readonly log: (text: string) => void;
}

/** A sandbox whose output goes to `add` as it comes: every builder's, without its doing. */
export function recordOutput(sandbox: Sandbox, add: (text: string) => void): OutputRecorder {
  const repeated = new Set<string>();
  return {
    sandbox: {
      promises: sandbox.promises,
      run: async (run) => {
        let said = false;
        const result = await sandbox.run({
          ...run,
          onOutput: (text) => {
            said = true;
            add(text);
            run.onOutput?.(text);
          },
        });
        // A sandbox that did not start has words, and no output. An answer is not for the log.
        if (said || (run.stdout === "answer" && result.kind === "exited")) repeated.add(result.log);
        return result;
      },
    },
    log: (text) => {
      if (!repeated.has(text)) add(text);
    },
  };
}
