import { provisionKindSchema } from "../../../src/core/manifest.ts";
import type { Digest, Name } from "../../../src/core/names.ts";
import type { Provision } from "../../../src/core/provision.ts";
import type { Assignment } from "../../../src/core/node.ts";
import { compose as composeAfresh } from "../../../src/decide/compose.ts";
import type { Composition, Pins } from "../../../src/decide/composition.ts";
import {
  indexWorld as indexAfresh,
  type PlannedProvider,
  type ProviderOffer,
  type WorldIndex,
} from "../../../src/decide/index-world.ts";
import type { World } from "../../../src/decide/world.ts";
import { type Asked, createReadTree, type Question, type ReadTree } from "./read-tree.ts";
import { remember } from "./remember.ts";

/**
 * The product's `compose`, which reads nothing but the world, run once for each different set of answers that it gets,
 * over all seeds of a worker. What it may read is listed here: anything else throws.
 */
type Part = keyof typeof questions;
type Asks = (part: Part, key: string) => void;

/** So many results are kept; then it begins anew. */
const resultLimit = 20_000;
const trees = new Map<string, ReadTree<World, Composition>>();
let results = 0;

export function compose(world: World, node: Name, pins: Pins): Composition {
  const name = `${world.mesh} ${node} ${pins.at === "newest" ? "newest" : textOfBuilds(pins.builds)}`;
  const known = trees.get(name)?.find(world) ?? null;
  if (known !== null) return known;
  if (results >= resultLimit) {
    trees.clear();
    numbers.clear();
    results = 0;
  }
  results += 1;
  const tree = trees.get(name) ?? createReadTree<World, Composition>();
  trees.set(name, tree);
  const asked: Asked<World>[] = [];
  const result = composeAfresh(listen(world, asked), node, pins);
  tree.keep(asked, result);
  return result;
}

const textOfBuilds = remember((builds: Readonly<Record<Name, Digest>>) => JSON.stringify(builds));

const listening = new WeakMap<World, WorldIndex>();

/** The index of a world that is listened to is listened to as well. */
export function indexWorld(world: World): WorldIndex {
  return listening.get(world) ?? indexAfresh(world);
}

export { newestManifest, providerLabel } from "../../../src/decide/index-world.ts";

function listen(world: World, asked: Asked<World>[]): World {
  const ask: Asks = (part, key) => {
    const question = questionOf(part, key);
    asked.push({ question, key: question(world) });
  };
  const index = indexAfresh(world);
  const heard: World = {
    mesh: world.mesh,
    nodes: listenTo(world.nodes, "nodes", ask),
    modules: listenTo(world.modules, "modules", ask),
    artifacts: listenTo(world.artifacts, "artifacts", ask),
    assignments: listenTo(world.assignments, "assignments", ask),
    versions: listenTo(world.versions, "versions", ask),
    provisions: new Map(),
    sent: new Map(),
  };
  listening.set(heard, {
    toldOffers: listenTo(index.toldOffers, "toldOffers", ask),
    get plannedProviders() {
      return listenTo(index.plannedProviders, "plannedProviders", ask);
    },
    issuedByConsumer: listenTo(index.issuedByConsumer, "issuedByConsumer", ask),
    issuedByProvider: listenTo(index.issuedByProvider, "issuedByProvider", ask),
  });
  return heard;
}

function listenTo<K extends string, V>(map: ReadonlyMap<K, V>, part: Part, ask: Asks): ReadonlyMap<K, V> {
  return new Listened(map, part, ask);
}

class Listened<K extends string, V> implements ReadonlyMap<K, V> {
  readonly #map: ReadonlyMap<K, V>;
  readonly #part: Part;
  readonly #ask: Asks;

  constructor(map: ReadonlyMap<K, V>, part: Part, ask: Asks) {
    this.#map = map;
    this.#part = part;
    this.#ask = ask;
  }

  get(key: K): V | undefined {
    this.#ask(this.#part, key);
    return this.#map.get(key);
  }

  [Symbol.iterator](): ReturnType<ReadonlyMap<K, V>["entries"]> {
    return this.#refuse();
  }

  get size(): number {
    return this.#refuse();
  }

  has(): boolean {
    return this.#refuse();
  }

  keys(): ReturnType<ReadonlyMap<K, V>["keys"]> {
    return this.#refuse();
  }

  values(): ReturnType<ReadonlyMap<K, V>["values"]> {
    return this.#refuse();
  }

  entries(): ReturnType<ReadonlyMap<K, V>["entries"]> {
    return this.#refuse();
  }

  forEach(): void {
    this.#refuse();
  }

  #refuse(): never {
    throw new Error(`compose reads ${this.#part} in a way that the simulator does not listen to`);
  }
}

/** Objects of the twin are never changed, and are their own keys where the twin keeps one for one content. */
const questions = {
  nodes: (key: string) => (world: World) => world.nodes.get(key),
  modules: (key: string) => (world: World) => world.modules.get(key),
  artifacts: (key: string) => (world: World) => world.artifacts.get(key),
  versions: (key: string) => (world: World) => world.versions.get(key),
  assignments: (key: string) => (world: World) => keyOf(keyOfAssignments, world.assignments.get(key)),
  toldOffers(key: string) {
    const kind = provisionKindSchema.parse(key);
    return (world: World) => keyOf(keyOfOffers, indexAfresh(world).toldOffers.get(kind));
  },
  plannedProviders(key: string) {
    const kind = provisionKindSchema.parse(key);
    return (world: World) => keyOf(keyOfPlanned, indexAfresh(world).plannedProviders.get(kind));
  },
  issuedByConsumer: (key: string) => (world: World) =>
    keyOf(keyOfProvisions, indexAfresh(world).issuedByConsumer.get(key)),
  issuedByProvider: (key: string) => (world: World) =>
    keyOf(keyOfProvisions, indexAfresh(world).issuedByProvider.get(key)),
} satisfies Record<string, (key: string) => Question<World>>;

const asKnown = new Map<string, Question<World>>();

/** One function for one question. */
function questionOf(part: Part, key: string): Question<World> {
  const name = `${part} ${key}`;
  const known = asKnown.get(name) ?? questions[part](key);
  asKnown.set(name, known);
  return known;
}

function keyOf<T>(workOut: (value: T) => number, value: T | undefined): number | undefined {
  return value === undefined ? undefined : workOut(value);
}

const numbers = new Map<string, number>();
let lastNumber = 0;

/** One number for one text, and never for another: what is compared often is compared as numbers. */
function numberOf(text: string): number {
  const known = numbers.get(text);
  if (known !== undefined) return known;
  lastNumber += 1;
  numbers.set(text, lastNumber);
  return lastNumber;
}

const keyOfAssignments = remember((list: readonly Assignment[]) => numberOf(JSON.stringify(list)));
const keyOfOffers = remember((list: readonly ProviderOffer[]) => numberOf(JSON.stringify(list)));
const keyOfPlanned = remember((list: readonly PlannedProvider[]) => numberOf(`w ${JSON.stringify(list)}`));
const keyOfProvision = remember((provision: Provision) => numberOf(JSON.stringify(provision)));
const keyOfProvisions = remember((list: readonly Provision[]) => numberOf(`p ${list.map(keyOfProvision).join()}`));
