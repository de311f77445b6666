import { endProcess, nonceVariable, ownerVariable } from "./end-process.ts";
import { readIdentity } from "./process-identity.ts";
import { isSessionLeader, listByEnvironment, readVariable } from "./process-list.ts";

/**
 * Ends what this folder's services started and no file of theirs leads to any more, and says the nonces: else the service
 * would be started a second time beside it. `known`: nonces that files lead to.
 */
export async function endOrphans(folder: string, known: ReadonlySet<string>, graceMs: number): Promise<string[]> {
  const orphans = new Map<string, number | null>();
  for (const pid of await listByEnvironment(`${ownerVariable}=${folder}`)) {
    const nonce = await readVariable(pid, nonceVariable);
    if (nonce === null || known.has(nonce)) continue;
    if (await isSessionLeader(pid)) orphans.set(nonce, pid);
    else if (!orphans.has(nonce)) orphans.set(nonce, null);
  }
  await Promise.all(
    [...orphans].map(async ([nonce, pid]) => {
      const identity = pid === null ? null : await readIdentity(pid);
      await endProcess({ identity, nonce, leader: "not-seen" }, graceMs);
    }),
  );
  return [...orphans.keys()];
}
