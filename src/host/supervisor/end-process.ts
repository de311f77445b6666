import { setTimeout as wait } from "node:timers/promises";
import { hasErrorCode } from "../../core/errors.ts";
import { holdsItsPid, isAlive, isOfThisBoot, type ProcessIdentity } from "./process-identity.ts";
import { listByEnvironment, listGroup, readState } from "./process-list.ts";

/** The setting by which a service's processes are found, whatever group they have moved to. */
export const nonceVariable = "MESH_RUN";

/** The folder of the supervisor that started it: what no file leads to any more is found by it. */
export const ownerVariable = "MESH_RUN_FOLDER";

/** Of a service that has no process to be found. */
export const neverStartedNonce = "";

/** What is known of a service's processes, and by which of it they are told from strangers'. */
export interface Started {
  /** Of the process that leads its group. Null: not known. */
  readonly identity: ProcessIdentity | null;
  readonly nonce: string;
  /** `seen-just-now`: it was there a moment ago, too short for its number to have come round to somebody else. */
  readonly leader: "seen-just-now" | "not-seen";
}

const pollMs = 25;
/**
 * Ends a service: SIGTERM to its group, a bounded wait, SIGKILL, then whatever still carries its nonce. Only what is
 * known to be ours is signalled: a pid alone is never enough. Throws where something of it is there still after that:
 * what replaces it would run beside it.
 */
export async function endProcess(started: Started, graceMs: number, kernel: Kernel = realKernel): Promise<void> {
  await endWhatIsLeft(started, graceMs, kernel);
}

/** Kills what a service that has ended left behind. Throws where that does not end. */
export async function sweep(started: Started, kernel: Kernel = realKernel): Promise<void> {
  await endWhatIsLeft(started, null, kernel);
}

async function endWhatIsLeft(started: Started, graceMs: number | null, kernel: Kernel): Promise<void> {
  const { identity, nonce } = started;
  let left: readonly number[] = [];
  if (identity !== null && (await isOurGroup(identity, started))) {
    left = await endGroup(identity, graceMs, kernel);
  }
  if (nonce !== neverStartedNonce) {
    const find = (): Promise<readonly number[]> => listByEnvironment(`${nonceVariable}=${nonce}`);
    const kill = (pids: readonly number[]): void => pids.forEach((pid) => kernel.signal(pid, "SIGKILL"));
    left = [...left, ...(await waitUntilGone(find, kernel.killedWithinMs, kill))];
  }
  if (left.length > 0) throw new Error(await describeLeft(left));
}

/** It stays ours as long as it is seen to have members: its number is nobody else's before. */
async function endGroup(identity: ProcessIdentity, graceMs: number | null, kernel: Kernel): Promise<readonly number[]> {
  const find = (): Promise<readonly number[]> => listAliveInGroup(identity);
  if (graceMs !== null) {
    kernel.signal(-identity.pid, "SIGTERM");
    if ((await waitUntilGone(find, graceMs)).length === 0) return [];
  }
  return waitUntilGone(find, kernel.killedWithinMs, () => kernel.signal(-identity.pid, "SIGKILL"));
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

/**
 * A group keeps its number while it has members, and a stranger that leads it means that ours is gone. Where its leader
 * is gone, a stranger's may have been and gone as well, since another boot or since the pids came round: then only a
 * member that carries our nonce shows that the group is ours.
 */
async function isOurGroup(identity: ProcessIdentity, { nonce, leader }: Started): Promise<boolean> {
  if (await holdsItsPid(identity)) return true;
  if (!(await isOfThisBoot(identity))) return false;
  const members = await listGroup(identity.pid);
  if (members === null) return leader === "seen-just-now";
  if (members.length === 0 || members.includes(identity.pid)) return false;
  if (leader === "seen-just-now") return true;
  if (nonce === neverStartedNonce) return false;
  const ours = new Set(await listByEnvironment(`${nonceVariable}=${nonce}`));
  return members.some((pid) => ours.has(pid));
}

async function listAliveInGroup(identity: ProcessIdentity): Promise<readonly number[]> {
  const members = (await listGroup(identity.pid)) ?? [];
  const isLed = members.length === 0 || members.includes(identity.pid);
  if (!isLed || (await isAlive(identity))) return members.length === 0 ? [identity.pid] : members;
  // Another leads a group of this number: ours is gone.
  return [];
}

/**
 * Who is there still when the time is over; nobody: it did not take so long. `act` is done with each list of who is there:
 * a process may have been started by another one just before that was killed.
 */
async function waitUntilGone(
  list: () => Promise<readonly number[]>,
  limitMs: number,
  act: (there: readonly number[]) => void = () => undefined,
): Promise<readonly number[]> {
  const end = performance.now() + limitMs;
  for (;;) {
    const left = await list();
    if (left.length === 0 || performance.now() >= end) return left;
    act(left);
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
