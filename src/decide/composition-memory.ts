import type { Digest, Name } from "../core/names.ts";
import { composeForPush, type PushedHow } from "./compose-for-push.ts";
import { indexWorld } from "./index-world.ts";
import { boundWorld, loadedOf } from "./part-of-world.ts";
import { consumerNodeOf } from "./provision-name.ts";
import type { Extent, World } from "./world.ts";

/** The digest by which a node is compared in a push; null: not worked out. See `composeForPush`. */
export type DigestOf = (node: Name, how: PushedHow) => Digest | null;

/**
 * What looks at the whole mesh worked out, for the next look. A node is composed where something that composing it asked the
 * world is not what it was then: composition is a function of what it asks, so all others have the digest that they had.
 */
export interface CompositionMemory {
  lookAt(world: World): DigestOf;
}

/** Of a node that no look asked for so many times, as of one that is there no more, nothing is kept. */
const keptForLooks = 32;

export function createCompositionMemory(): CompositionMemory {
  const parts = new Map<string, Part>();
  const kept = new Map<string, Kept>();
  let looks = 0;
  return {
    lookAt: (world) => {
      looks += 1;
      if (looks % keptForLooks === 0) forget(kept, parts, looks - keptForLooks);
      const look = looks;
      let asked = new Set<Part>();
      const traced = boundWorld(
        world,
        noteAsked((kind, key) => asked.add(partOf(parts, kind, key))),
      );
      const readPart = createReader(traced);
      const isAsItWas = ({ part, change }: Kept["asked"][number]): boolean =>
        refresh(part, look, readPart).change === change;
      return (node, how) => {
        const key = `${node} ${how.named ? (how.byPolicy === true ? "by policy" : "named") : "cascaded"}`;
        const known = kept.get(key);
        if (known?.asked.every(isAsItWas) === true) {
          known.look = look;
          return known.digest;
        }
        asked = new Set();
        const { digest } = composeForPush(traced, node, how);
        const seen = [...asked].map((part) => ({ part, change: refresh(part, look, readPart).change }));
        kept.set(key, { digest, asked: seen, look });
        return digest;
      };
    },
  };
}

interface Kept {
  readonly digest: Digest | null;
  /** In the order in which it was asked: what is as it was leads to the same next question. */
  readonly asked: readonly { readonly part: Part; readonly change: number }[];
  /** The last look that asked for it. */
  look: number;
}

/** As an extent tells parts of the world apart: see `Extent` for what belongs to each. */
type PartKind = keyof Extent;

/** One part of the world, as it was in the look that last asked for it. */
interface Part {
  readonly kind: PartKind;
  readonly key: string;
  values: readonly unknown[];
  /** How often another was seen there; no two that differ have the same. */
  change: number;
  look: number;
}

function partOf(parts: Map<string, Part>, kind: PartKind, key: string): Part {
  const name = `${kind} ${key}`;
  const known = parts.get(name);
  if (known !== undefined) return known;
  const fresh = { kind, key, values: [], change: 0, look: 0 };
  parts.set(name, fresh);
  return fresh;
}

function refresh(part: Part, look: number, readPart: (part: Part) => readonly unknown[]): Part {
  if (part.look === look) return part;
  const values = readPart(part);
  part.look = look;
  if (isSame(part.values, values)) return part;
  part.values = values;
  part.change += 1;
  return part;
}

/** What was read before and is the same object now was not changed; of what was read anew the text says so. */
function isSame(before: unknown, now: unknown): boolean {
  if (before === now) return true;
  if (Array.isArray(before) && Array.isArray(now))
    return before.length === now.length && now.every((value, at) => isSame(before[at], value));
  return JSON.stringify(before) === JSON.stringify(now);
}

/** Of a whole world, all that is told apart as `kind` and `key`: what else a world may be asked for belongs here too. */
function createReader(traced: World): (part: Part) => readonly unknown[] {
  const world = {
    nodes: loadedOf(traced.nodes),
    assignments: loadedOf(traced.assignments),
    sent: loadedOf(traced.sent),
    claims: loadedOf(traced.claims ?? new Map<Name, unknown>()),
    reverted: loadedOf(traced.reverted ?? new Map<Name, unknown>()),
    modules: loadedOf(traced.modules),
    artifacts: loadedOf(traced.artifacts),
  };
  const index = indexWorld(traced);
  const issued = loadedOf(index.issuedByProvider);
  const told = loadedOf(index.toldOffers);
  let ownProvisions: ReadonlyMap<Name, readonly unknown[]> | null = null;
  return ({ kind, key }) => {
    switch (kind) {
      case "around":
        return [world.nodes, world.sent, world.claims, world.reverted, world.assignments].map((map) => map.get(key));
      case "nodes":
        ownProvisions ??= groupByConsumer(traced);
        return [ownProvisions.get(key), issued.get(key)];
      case "modules":
        return [world.modules.get(key)];
      case "artifacts":
        return [world.artifacts.get(key)];
      case "kinds":
        return [
          [...told].find(([one]) => one === key)?.[1],
          [...loadedOf(index.plannedProviders)].find(([one]) => one === key)?.[1],
        ];
    }
  };
}

/** Every version that a node was ever issued, and what counts of it. */
function groupByConsumer(traced: World): Map<Name, unknown[]> {
  const byNode = new Map<Name, unknown[]>();
  const add = (id: string, value: unknown): void => {
    const node = consumerNodeOf(id);
    const list = byNode.get(node);
    if (list === undefined) byNode.set(node, [value]);
    else list.push(value);
  };
  for (const [id, provision] of loadedOf(traced.provisions)) add(id, provision);
  for (const [id, version] of loadedOf(traced.versions)) add(id, [id, version]);
  return byNode;
}

/** An extent of everything, which notes what it is asked for. */
function noteAsked(note: (kind: PartKind, key: string) => void): Extent {
  const noting = <T extends string>(kind: PartKind): ReadonlySet<T> =>
    new NotingSet<T>((key) => {
      note(kind, key);
    });
  return {
    nodes: noting("nodes"),
    around: noting("around"),
    modules: noting("modules"),
    artifacts: noting("artifacts"),
    kinds: noting("kinds"),
  };
}

class NotingSet<T> extends Set<T> {
  readonly #note: (value: T) => void;

  constructor(note: (value: T) => void) {
    super();
    this.#note = note;
  }

  override has(value: T): boolean {
    this.#note(value);
    return true;
  }
}

function forget(kept: Map<string, Kept>, parts: Map<string, Part>, before: number): void {
  const needed = new Set<Part>();
  for (const [key, { look, asked }] of kept) {
    if (look <= before) kept.delete(key);
    else for (const { part } of asked) needed.add(part);
  }
  for (const [name, part] of parts) if (!needed.has(part)) parts.delete(name);
}
