import { stat } from "node:fs";

/**
 * A wait for a file that nobody answers, for ever: up to 2.40 glibc can lose the signal that wakes a thread of Node's pool (its bug
 * 25847), and what was given to the pool last lies there until something else is. So something else is, every two seconds; the thread
 * that it wakes takes both. Keeps no process alive.
 */
export function keepFileWorkGoing(everyMs = 2_000): void {
  setInterval(() => stat("/", () => undefined), everyMs).unref();
}
