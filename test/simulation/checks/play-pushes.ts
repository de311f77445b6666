import { findChangedNodes } from "../../../src/activities/find-changed-nodes.ts";
import { openNewPush } from "../../../src/activities/open-push.ts";
import { tellBatch } from "../../../src/activities/tell.ts";
import type { Declaration } from "../../../src/core/declaration.ts";
import { staleAfterMs } from "../controllers/controller.ts";
import { createEnvelopes } from "../hosts/envelopes.ts";
import { type ChangeRead, epochStartMs, type GateCommit } from "../store/backend.ts";
import { createInstant } from "../store/instant.ts";
import type { Records } from "../store/state.ts";
import { createStoreTwin, type StoreTwin } from "../store/twin.ts";
import { createProcess } from "../timeline.ts";
import { addBuild, assign, firstRecords, listNodeNames, meshName } from "../world/mesh.ts";
import { openWith } from "./watch.ts";

/** What the checks are shown, in its order. */
export type Shown =
  | { readonly what: "commit"; readonly commit: GateCommit }
  | { readonly what: "look"; readonly change: ChangeRead };

export interface Played {
  readonly shown: readonly Shown[];
  readonly records: Records;
  readonly open: (envelope: Uint8Array) => Declaration;
}

/** The commits of the three pushes, by their place among all. */
export const commitsPlayed = { everybody: 0, consumer: 1, provider: 2, rebuilt: 3 } as const;

const limits = { silentAfterMs: 60_000, recordsStaleAfterMs: 60_000, sourcesStaleAfterMs: 60_000 };

/**
 * Two nodes through three pushes, by the product's own code and with no fault: both are told; node-b gets a consumer of what node-a
 * provides, and node-a is told of that in a cascade; node-a gets a new build. What a test changes in it is the only thing that is wrong.
 */
export async function playPushes(): Promise<Played> {
  const envelopes = createEnvelopes();
  const store = createStoreTwin(createInstant(), firstRecords(listNodeNames(2)));
  const shown: Shown[] = [];
  store.onCommit = (commit) => shown.push({ what: "commit", commit });
  store.onChangeRead = (change) => shown.push({ what: "look", change });
  const push = await createPusher(store, (declaration) => envelopes.sign(declaration));
  store.edit((draft) => assign(draft, "clock", "node-a", {}));
  await push("push-1", ["node-a", "node-b"]);
  store.edit((draft) => assign(draft, "page", "node-b", {}));
  await push("push-2", ["node-b"]);
  store.edit((draft) => addBuild(draft, "clock", 2));
  await push("push-3", ["node-a"]);
  return { shown, records: store.records, open: openWith({ envelopes }) };
}

async function createPusher(store: StoreTwin, signDeclaration: (declaration: Declaration) => Uint8Array) {
  const connection = store.connect(createProcess("controller-1"), { latencyMs: () => 0, call: () => "none" });
  const taken = await connection.lease("controller-1").take(null);
  if (taken === null) throw new Error("the lease of empty records was not given");
  const nowMs = (): number => epochStartMs + store.nowMs();
  const tell = {
    records: connection.push,
    mesh: meshName,
    epoch: taken.epoch,
    mayAct: () => true,
    signDeclaration,
    sealSecret: () => Promise.resolve("box"),
    staleAfterMs,
    nowMs,
    makePassword: () => "a password",
  };
  const look = { records: connection.push, limits, nowMs };
  return async (push: string, named: readonly string[]): Promise<void> => {
    const common = { mesh: meshName, push, confirmRemoval: false };
    await openNewPush(look, { ...common, kind: "named", named, requestedBy: "test", why: "" });
    for (let round = 0, targets = named.length; targets > 0; round += 1) {
      await tellBatch(tell, { ...common, round, from: 0, count: 100 }, new AbortController().signal);
      targets = (await findChangedNodes(look, { push, round })).count;
    }
  };
}
