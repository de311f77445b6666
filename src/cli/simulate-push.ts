import type { Content } from "../core/declaration.ts";
import type { Digest, Name } from "../core/names.ts";
import type { Provision } from "../core/provision.ts";
import type { Told } from "../core/push.ts";
import { withIssued, withSends } from "../decide/apply-composition.ts";
import { decideTell, type TellDecision } from "../decide/decide-tell.ts";
import { captureBaseline, findChanged } from "../decide/find-changed.ts";
import type { Sent, World } from "../decide/world.ts";

/** What one node would be told in one round of a push that was not made. */
export interface Foreseen {
  readonly node: Name;
  readonly round: number;
  readonly outcome: Exclude<Told["outcome"], "sent"> | "would-be-sent";
  readonly why: string;
  /** What it would be; null where it would not be sent. */
  readonly content: Content | null;
  readonly mints: readonly Provision[];
  /** Ids of provisions that would be withdrawn. */
  readonly withdrawals: readonly string[];
  readonly notes: readonly string[];
}

export interface ForeseenPush {
  readonly settles: boolean;
  readonly rounds: readonly (readonly Foreseen[])[];
}

/** As many rounds after the named one as a push itself takes before it says that it did not settle. */
const roundLimit = 5;

/**
 * What a push of these nodes would do, round by round, on a copy of the world: the same decisions as a push takes, and
 * nothing is numbered, minted or sent (R23).
 */
export function simulatePush(before: World, names: readonly Name[], confirmRemoval: boolean): ForeseenPush {
  const named = new Set(names);
  const baseline = captureBaseline(before);
  const told = new Map<Name, Digest | null>();
  const effects = { minted: [] as Provision[], withdrawn: [] as Provision[] };
  const rounds: Foreseen[][] = [];
  let world = before;
  let sentLast: ReadonlySet<Name> = new Set();
  for (let round = 0; ; round += 1) {
    const turns =
      round === 0
        ? [...named].toSorted().map((node) => ({ node, why: "named" }))
        : findChanged({ world, named, baseline, told, sentLast, effects });
    // Asked after the last round too: one that ends with it has settled.
    if (turns.length === 0 || round > roundLimit) return { settles: turns.length === 0, rounds };
    const decide = (at: World, turn: (typeof turns)[number]): TellDecision =>
      decideTell({ world: at, node: turn.node, named: named.has(turn.node), why: turn.why, confirmRemoval });
    // As the push does it: first all that is made and withdrawn in this round, then all compositions; of those none sees
    // another's. Each is applied at once: a world that changes is indexed anew, which costs as much as the whole mesh.
    const issued = new Map<Name, Pick<Foreseen, "mints" | "withdrawals">>();
    for (const turn of turns) {
      const decision = decide(world, turn);
      if (decision.kind !== "send") continue;
      const { mints, withdrawals } = decision;
      issued.set(turn.node, { mints, withdrawals });
      for (const mint of mints) effects.minted.push(mint);
      effects.withdrawn.push(...withdrawals.flatMap((id) => world.provisions.get(id) ?? []));
    }
    const all = [...issued.values()];
    const composed = withIssued(
      world,
      all.flatMap(({ mints }) => mints),
      all.flatMap(({ withdrawals }) => withdrawals),
    );
    const foreseen: Foreseen[] = [];
    const sends: (readonly [Name, Sent])[] = [];
    for (const turn of turns) {
      const decision = decide(composed, turn);
      told.set(turn.node, decision.digest);
      foreseen.push({ ...foresee(turn.node, round, decision), ...issued.get(turn.node) });
      if (decision.kind === "send") sends.push(...sentAs(composed, turn.node, decision));
    }
    world = withSends(composed, sends);
    sentLast = new Set(foreseen.filter(({ outcome }) => outcome === "would-be-sent").map(({ node }) => node));
    rounds.push(foreseen);
  }
}

function sentAs(
  world: World,
  node: Name,
  decision: Extract<TellDecision, { kind: "send" }>,
): (readonly [Name, Sent])[] {
  const last = world.sent.get(node);
  const incarnation = world.nodes.get(node)?.incarnation;
  if (incarnation === null || incarnation === undefined) return [];
  // A place after every other: which one is for the push itself to take.
  const order = { epoch: last?.order.epoch ?? 1, number: (last?.order.number ?? 0) + 1 };
  const { digest, content, offers } = decision;
  return [[node, { order, digest, builds: content.builds, incarnation, offers }]];
}

function foresee(node: Name, round: number, decision: TellDecision): Foreseen {
  const common = { node, round, why: decision.why };
  if (decision.kind !== "send") {
    return { ...common, outcome: decision.kind, content: null, mints: [], withdrawals: [], notes: [] };
  }
  const { content, mints, withdrawals, notes } = decision;
  return { ...common, outcome: "would-be-sent", content, mints, withdrawals, notes };
}
