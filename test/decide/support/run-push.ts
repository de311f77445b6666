import type { Digest, Name } from "../../../src/core/names.ts";
import type { Provision } from "../../../src/core/provision.ts";
import { withIssued, withSent } from "../../../src/decide/apply-composition.ts";
import { decideTell, type TellDecision } from "../../../src/decide/decide-tell.ts";
import { captureBaseline, findChanged } from "../../../src/decide/find-changed.ts";
import type { World } from "../../../src/decide/world.ts";

export interface ToldRow {
  readonly node: Name;
  readonly round: number;
  readonly why: string;
  readonly decision: TellDecision;
}

export interface PushRun {
  readonly world: World;
  readonly rows: readonly ToldRow[];
  readonly settled: boolean;
  /** Of the nodes that still move. */
  readonly moving: readonly Name[];
}

export interface PushOptions {
  readonly rounds?: number;
  readonly confirmRemoval?: boolean;
  /** What else happens to the mesh between two rounds. */
  readonly between?: (world: World, round: number) => World;
}

/** A push as the workflow makes it, on the real decisions, with the world as a value in place of a store. */
export function runPush(start: World, named: readonly Name[], options: PushOptions = {}): PushRun {
  const baseline = captureBaseline(start);
  const told = new Map<Name, Digest | null>();
  const rows: ToldRow[] = [];
  const minted: Provision[] = [];
  const withdrawn: Provision[] = [];
  let world = start;
  let sentLast: ReadonlySet<Name> = new Set();
  for (let round = 0; ; round += 1) {
    const effects = { minted, withdrawn };
    const changed = findChanged({ world, named: new Set(named), baseline, told, sentLast, effects });
    const targets = round === 0 ? changed.filter(({ node }) => named.includes(node)) : changed;
    const moving = targets.map(({ node }) => node);
    if (targets.length === 0 || round > (options.rounds ?? 5))
      return { world, rows, settled: targets.length === 0, moving };
    const sent = new Set<Name>();
    for (const { node, why } of targets) {
      const confirmRemoval = options.confirmRemoval ?? false;
      const decision = decideTell({ world, node, named: named.includes(node), why, confirmRemoval });
      told.set(node, decision.digest);
      rows.push({ node, round, why, decision });
      if (decision.kind !== "send") continue;
      sent.add(node);
      minted.push(...decision.mints);
      withdrawn.push(...decision.withdrawals.flatMap((id) => world.provisions.get(id) ?? []));
      world = applySend(world, node, decision);
    }
    sentLast = sent;
    world = options.between?.(world, round) ?? world;
  }
}

/** What the one transaction records. */
function applySend(world: World, node: Name, send: Extract<TellDecision, { kind: "send" }>): World {
  const highest = Math.max(0, ...[...world.sent.values()].map((sent) => sent.order.number));
  const incarnation = world.nodes.get(node)?.incarnation;
  if (incarnation === null || incarnation === undefined) throw new Error(`sent to ${node}, which is not enrolled`);
  return withSent(withIssued(world, send.mints, send.withdrawals), node, {
    order: { epoch: 1, number: highest + 1 },
    digest: send.digest,
    builds: send.content.builds,
    incarnation,
    offers: send.offers,
  });
}

/** `node-a 0 sent`, one for each row: what a person would read. */
export function listRows(run: PushRun): string[] {
  return run.rows.map(({ node, round, decision }) => `${node} ${round} ${decision.kind}`);
}
