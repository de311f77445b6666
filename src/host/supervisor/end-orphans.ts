import { describeFailure } from "../describe-failure.ts";
import { endProcess, type Kernel, nonceVariable, ownerVariable, type Started } from "./end-process.ts";
import { readIdentity } from "./process-identity.ts";
import { isSessionLeader, listByEnvironment, readVariable } from "./process-list.ts";

/** What a service was given of whose it is (`resources/service.ts`). */
const moduleVariable = "MESH_MODULE";

/** What no file leads to any more. */
export interface Orphan {
  /** Null: it does not say. */
  readonly module: string | null;
  readonly started: Started;
}

export interface OrphansOptions {
  readonly folder: string;
  readonly graceMs: number;
  /** Left out: the system's own. */
  readonly kernel?: Kernel;
}

export interface EndedOrphans {
  readonly ended: readonly Orphan[];
  /** Each with why it does not end. */
  readonly left: readonly (Orphan & { readonly why: string })[];
}

/**
 * Ends what this folder's services started and no file of theirs leads to any more: else the service would be started a
 * second time beside it. What does not end is answered, not thrown: it is one service's, and the others are none the worse.
 * `known`: nonces that files lead to.
 */
export async function endOrphans(known: ReadonlySet<string>, options: OrphansOptions): Promise<EndedOrphans> {
  const orphans = await findOrphans(known, options.folder);
  const ended: Orphan[] = [];
  const left: (Orphan & { readonly why: string })[] = [];
  await Promise.all(
    orphans.map(async (orphan) => {
      try {
        await endProcess(orphan.started, options.graceMs, options.kernel);
        ended.push(orphan);
      } catch (error) {
        left.push({ ...orphan, why: describeFailure(error) });
      }
    }),
  );
  return { ended, left };
}

async function findOrphans(known: ReadonlySet<string>, folder: string): Promise<readonly Orphan[]> {
  const orphans = new Map<string, Orphan>();
  for (const pid of await listByEnvironment(`${ownerVariable}=${folder}`)) {
    const nonce = await readVariable(pid, nonceVariable);
    if (nonce === null || known.has(nonce)) continue;
    const before = orphans.get(nonce);
    const identity = (await isSessionLeader(pid)) ? await readIdentity(pid) : null;
    orphans.set(nonce, {
      module: before?.module ?? (await readVariable(pid, moduleVariable)),
      started: { identity: identity ?? before?.started.identity ?? null, nonce, leader: "not-seen" },
    });
  }
  return [...orphans.values()];
}
