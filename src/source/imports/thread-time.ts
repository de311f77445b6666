import { readFileSync } from "node:fs";

/**
 * How long this thread had the processor, in milliseconds; null where the system does not say. A process has others:
 * parses in workers, the engine's own.
 */
export function readThreadMs(): number | null {
  try {
    const [ran = ""] = readFileSync("/proc/thread-self/schedstat", "utf8").split(" ", 1);
    const ms = Number(ran) / 1e6;
    return Number.isFinite(ms) && ms > 0 ? ms : null;
  } catch {
    // absence is the answer: not Linux, or a kernel that does not count it
    return null;
  }
}
