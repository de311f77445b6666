import { setTimeout as wait } from "node:timers/promises";
import { hasErrorCode } from "../../core/errors.ts";
import { isAlive, type ProcessIdentity } from "./process-identity.ts";
import { listByEnvironment, listGroup, readState } from "./process-list.ts";

/** The setting by which a service's processes are found, whatever group they have moved to. */
export const nonceVariable = "MESH_RUN";

/** The folder of the supervisor that started it: what no file leads to any more is found by it. */
export const ownerVariable = "MESH_RUN_FOLDER";

/** Of a service that has no process to be found. */
export const neverStartedNonce = "";

const pollMs = 25;
/**
 * Ends a service: SIGTERM to its group, a bounded wait, SIGKILL, then whatever still carries its nonce. Only what is
 * known to be ours is signalled: a pid alone is never enough. Throws where something of it is there still after that:
 * what replaces it would run beside it.
 */
export async function endProcess(
  identity: ProcessIdentity,
  nonce: string,
  graceMs: number,
  kernel: Kernel = realKernel,
): Promise<void> {
  if (await isAlive(identity)) kernel.signal(-identity.pid, "SIGTERM");
  await waitUntilGone(() => listAliveInGroup(identity), graceMs);
  await sweep(identity, nonce, kernel);
}

/** Kills what a service that has ended left behind. Throws where that does not end. */
export async function sweep(
  identity: ProcessIdentity | null,
  nonce: string,
  kernel: Kernel = realKernel,
): Promise<void> {
  let left: readonly number[] = [];
  if (identity !== null && (await isOurGroup(identity))) {
    kernel.signal(-identity.pid, "SIGKILL");
    left = await waitUntilGone(() => listAliveInGroup(identity), kernel.killedWithinMs);
  }
  if (nonce !== neverStartedNonce) {
    const find = (): Promise<readonly number[]> => listByEnvironment(`${nonceVariable}=${nonce}`);
    for (const pid of await find()) kernel.signal(pid, "SIGKILL");
    left = [...left, ...(await waitUntilGone(find, kernel.killedWithinMs))];
  }
  if (left.length > 0) throw new Error(await describeLeft(left));
}

/** What signals, and how long it may take to bury what it killed. */
export interface Kernel {
  readonly signal: (target: number, name: NodeJS.Signals) => void;
  readonly killedWithinMs: number;
}

async function describeLeft(pids: readonly number[]): Promise<string> {
  const words: string[] = [];
  for (const pid of new Set(pids)) {
    const state = await readState(pid);
    words.push(
      state === "D"
        ? `${pid} (it waits in the kernel for a device or a file system)`
        : `${pid} (state ${state ?? "unknown"})`,
    );
  }
  return `it was killed and does not end: process ${words.join(", ")}; it is tried again, and nothing is started in its place before`;
}

/** A group keeps its number while it has members; a stranger that leads it now means that ours is gone. */
async function isOurGroup(identity: ProcessIdentity): Promise<boolean> {
  if (await isAlive(identity)) return true;
  const members = await listGroup(identity.pid);
  return members === null || (members.length > 0 && !members.includes(identity.pid));
}

async function listAliveInGroup(identity: ProcessIdentity): Promise<readonly number[]> {
  const members = (await listGroup(identity.pid)) ?? [];
  return members.length === 0 && (await isAlive(identity)) ? [identity.pid] : members;
}

/** Who is there still when the time is over; nobody: it did not take so long. */
async function waitUntilGone(list: () => Promise<readonly number[]>, limitMs: number): Promise<readonly number[]> {
  const end = performance.now() + limitMs;
  for (;;) {
    const left = await list();
    if (left.length === 0 || performance.now() >= end) return left;
    await wait(pollMs);
  }
}

function signal(target: number, name: NodeJS.Signals): void {
  try {
    process.kill(target, name);
  } catch (error) {
    // Gone already: that is what was wanted.
    if (!hasErrorCode(error, "ESRCH")) throw error;
  }
}

const realKernel: Kernel = { signal, killedWithinMs: 5_000 };
