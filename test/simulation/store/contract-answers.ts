import type { PushRecords } from "../../../src/activities/push-records.ts";
import { StoppedError } from "../../../src/core/errors.ts";
import type { Provision } from "../../../src/core/provision.ts";
import { loadedOf } from "../../../src/decide/part-of-world.ts";
import { isBehind } from "../../../src/decide/situation.ts";
import type { World } from "../../../src/decide/world.ts";
import type { StoreUnderContract } from "./both-stores.ts";

/** Artifacts that nobody needs are not loaded; the twin keeps them. */
export function worldOf(world: World | undefined): unknown {
  return world === undefined ? null : { ...world, artifacts: null, sent: [...world.sent].map(asWorld) };
}

/** What was loaded, and what for. */
export function partOf(world: World): unknown {
  const { extent } = world;
  if (extent === undefined) throw new Error("the whole world was loaded");
  return {
    mesh: world.mesh,
    nodes: loadedOf(world.nodes),
    modules: loadedOf(world.modules),
    artifacts: loadedOf(world.artifacts),
    assignments: loadedOf(world.assignments),
    provisions: loadedOf(world.provisions),
    versions: loadedOf(world.versions),
    sent: new Map([...loadedOf(world.sent)].map(asWorld)),
    claims: world.claims === undefined ? null : loadedOf(world.claims),
    reverted: world.reverted === undefined ? null : loadedOf(world.reverted),
    extent: Object.entries(extent).map(([what, names]) => [what, [...(names as ReadonlySet<string>)].toSorted()]),
  };
}

type Send = readonly [string, World["sent"] extends ReadonlyMap<string, infer Sent> ? Sent : never];

/** The twin keeps more of a send. */
function asWorld([name, { order, digest, builds, incarnation, offers }]: Send): [string, unknown] {
  return [name, { order, digest, builds, incarnation, offers }];
}

export function byKey(provisions: readonly Provision[]): Provision[] {
  return provisions.toSorted((a, b) => (a.id === b.id ? a.version - b.version : a.id < b.id ? -1 : 1));
}

/** All that can be read of a push. */
export async function readPush(store: PushRecords, push: string): Promise<unknown[]> {
  const change = await store.readChange(push);
  const read: unknown[] = [
    await store.getPush(push),
    await store.listTold(push),
    change?.baseline,
    change?.told,
    change?.effects,
  ];
  read.push(worldOf(change?.world));
  for (const nodes of [[], ["node-c", "node-a"]]) read.push(await store.getPushFor({ push, nodes }));
  for (const round of [0, 1, 2])
    read.push(
      await store.countSentAmong({ push, round, nodes: ["node-a", "node-b"] }),
      await store.countTargets({ push, round }),
      await store.listTargets({ push, round, from: 1, count: 2 }),
    );
  return read;
}

/** The test itself breaks a transaction off. */
export class BreakError extends Error {}

/** What is answered, or how it fails. */
export async function settle(run: () => Promise<unknown>): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    // A key that is there twice is PostgreSQL's own error there: only that it fails is compared.
    if (error instanceof BreakError) return "broken by the test";
    if (error instanceof StoppedError) return "stopped";
    return error instanceof Error && error.name === "DeadEpochError" ? "dead epoch" : "fails";
  }
}

/** What a host asks for, what the loop of `auto` asks for, and how each node stands, by which `--behind` goes. */
export async function readByOthers(store: StoreUnderContract): Promise<unknown> {
  const limits = { silentAfterMs: farMs, recordsStaleAfterMs: farMs, sourcesStaleAfterMs: farMs };
  const { situations } = await store.push.readView({ now: new Date().toISOString(), limits });
  const mail: unknown[] = [];
  for (const name of ["node-a", "node-b", "node-c"])
    for (const after of [null, { epoch: 1, number: 2 }]) mail.push(await store.newestEnvelope(name, after));
  const behind = new Map([...situations].map(([name, situation]) => [name, isBehind(situation)]));
  return [mail, await store.listAutoDue(), behind];
}

/** Nobody is silent, and nothing is stale: the two do not have one clock. */
const farMs = 1e13;
