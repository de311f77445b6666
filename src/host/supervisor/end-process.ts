import { setTimeout as wait } from "node:timers/promises";
import { hasErrorCode } from "../../core/errors.ts";
import { isAlive, type ProcessIdentity } from "./process-identity.ts";
import { listByEnvironment, listGroup } from "./process-list.ts";

/** The setting by which a service's processes are found, whatever group they have moved to. */
export const nonceVariable = "MESH_RUN";

/** The folder of the supervisor that started it: what no file leads to any more is found by it. */
export const ownerVariable = "MESH_RUN_FOLDER";

/** Of a service that has no process to be found. */
export const neverStartedNonce = "";

const pollMs = 25;
/** After SIGKILL only the kernel can delay an end. */
const killedWithinMs = 5000;

/**
 * Ends a service: SIGTERM to its group, a bounded wait, SIGKILL, then whatever still carries its nonce. Only what is
 * known to be ours is signalled: a pid alone is never enough.
 */
export async function endProcess(identity: ProcessIdentity, nonce: string, graceMs: number): Promise<void> {
  if (await isAlive(identity)) signalGroup(identity.pid, "SIGTERM");
  await waitForGroup(identity, graceMs);
  await sweep(identity, nonce);
}

/** Kills what a service that has ended left behind. */
export async function sweep(identity: ProcessIdentity | null, nonce: string): Promise<void> {
  if (identity !== null && (await isOurGroup(identity))) {
    signalGroup(identity.pid, "SIGKILL");
    await waitForGroup(identity, killedWithinMs);
  }
  if (nonce === neverStartedNonce) return;
  for (const pid of await listByEnvironment(`${nonceVariable}=${nonce}`)) signal(pid, "SIGKILL");
}

/** A group keeps its number while it has members; a stranger that leads it now means that ours is gone. */
async function isOurGroup(identity: ProcessIdentity): Promise<boolean> {
  if (await isAlive(identity)) return true;
  const members = await listGroup(identity.pid);
  return members === null || (members.length > 0 && !members.includes(identity.pid));
}

async function waitForGroup(identity: ProcessIdentity, limitMs: number): Promise<void> {
  const end = performance.now() + limitMs;
  while (performance.now() < end) {
    const alive = await isAlive(identity);
    const members = await listGroup(identity.pid);
    if (!alive && (members === null || members.length === 0)) return;
    await wait(pollMs);
  }
}

function signalGroup(group: number, name: NodeJS.Signals): void {
  signal(-group, name);
}

function signal(target: number, name: NodeJS.Signals): void {
  try {
    process.kill(target, name);
  } catch (error) {
    // Gone already: that is what was wanted.
    if (!hasErrorCode(error, "ESRCH")) throw error;
  }
}
