import { armFailpoints, type Failpoint } from "../../../src/core/failpoints.ts";

/** One step of this process, held: `disarmFailpoints` afterwards. */
export interface Held {
  /** When something has come there. */
  readonly reached: Promise<void>;
  letGo(): void;
}

/** Holds what comes to this failpoint as the nth one from now on, until it is let go. Others go by. */
export function holdAt(point: Failpoint, nth = 1): Held {
  let letGo: (() => void) | null = null;
  const reached = new Promise<void>((resolve) => {
    armFailpoints([{ point, action: "hold", ms: 0, nth }], {
      process: {
        pid: process.pid,
        kill: () => undefined,
        once: (_signal, listener) => (letGo = listener),
        stderr: { write: () => resolve() },
      },
      wait: () => Promise.resolve(),
    });
  });
  return {
    reached,
    letGo() {
      if (letGo === null) throw new Error(`nothing has come to ${point} yet`);
      letGo();
    },
  };
}
