import { hasErrorCode } from "../core/errors.ts";
import { isAlive, type ProcessIdentity } from "./process-identity.ts";
import { waitUntil } from "./wait-until.ts";

export interface StopOptions {
  /** What to send in turn, and how long to wait for the end after each. */
  readonly steps: readonly { readonly signal: NodeJS.Signals; readonly waitMs: number }[];
  /** To the whole group it leads, or to the process alone. */
  readonly group: boolean;
}

export const politeStop: StopOptions["steps"] = [
  { signal: "SIGTERM", waitMs: 15_000 },
  { signal: "SIGKILL", waitMs: 5_000 },
];

/** The signal that ended it, or null when it was not running. Throws when not even the last one did. */
export async function stopProcess(identity: ProcessIdentity, options: StopOptions): Promise<NodeJS.Signals | null> {
  if (!isAlive(identity)) return null;
  for (const { signal, waitMs } of options.steps) {
    sendSignal(options.group ? -identity.pid : identity.pid, signal);
    if (await waitUntil(() => !isAlive(identity), waitMs)) {
      // What it left behind in its group ends with it.
      if (options.group) sendSignal(-identity.pid, "SIGKILL");
      return signal;
    }
  }
  throw new Error(`process ${identity.pid} does not end: ${options.steps.map((step) => step.signal).join(", ")} sent`);
}

/** A process or group that is gone already is what was wanted. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!hasErrorCode(error, "ESRCH")) throw error;
  }
}
