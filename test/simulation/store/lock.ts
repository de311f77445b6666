import { UnavailableError } from "../../../src/core/errors.ts";
import type { Timeline } from "../timeline.ts";

/** As long as the records let anybody wait for the gate. */
const lockTimeoutMs = 30_000;

export interface Gate {
  /** In the order of asking; rejects after the lock's time-out, or when the one who waits is gone. */
  lock(waiting: { readonly isAborted: boolean }): Promise<() => void>;
}

export function createGate(timeline: Timeline): Gate {
  let isHeld = false;
  const queue: { readonly waiting: { readonly isAborted: boolean }; readonly go: () => void }[] = [];
  const next = (): void => {
    isHeld = false;
    for (let first = queue.shift(); first !== undefined; first = queue.shift()) {
      if (first.waiting.isAborted) {
        first.go();
        continue;
      }
      isHeld = true;
      first.go();
      return;
    }
  };
  const take = (): (() => void) => {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      next();
    };
  };
  return {
    lock(waiting) {
      if (!isHeld) {
        isHeld = true;
        return Promise.resolve(take());
      }
      return new Promise((resolve, reject) => {
        const entry = {
          waiting,
          go: () => {
            cancel();
            resolve(waiting.isAborted ? () => undefined : take());
          },
        };
        const cancel = timeline.at(lockTimeoutMs, () => {
          const at = queue.indexOf(entry);
          if (at === -1) return;
          queue.splice(at, 1);
          reject(new UnavailableError("the gate was held for too long"));
        });
        queue.push(entry);
      });
    },
  };
}
