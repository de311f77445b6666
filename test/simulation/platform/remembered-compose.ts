import type { Name } from "../../../src/core/names.ts";
import type { Provision } from "../../../src/core/provision.ts";
import type { Assignment } from "../../../src/core/node.ts";
import { compose as composeAfresh } from "../../../src/decide/compose.ts";
import type { Composition, Pins } from "../../../src/decide/composition.ts";
import { indexWorld as indexAfresh, type ProviderOffer, type WorldIndex } from "../../../src/decide/index-world.ts";
import type { World } from "../../../src/decide/world.ts";
import { type AnswerKey, type Asked, createReadTree, type ReadTree } from "./read-tree.ts";
import { remember } from "./remember.ts";

/**
 * The product's `compose`, which reads nothing but the world, run once for each different set of answers that it gets,
 * over all seeds of a worker. What it may read is listed here: anything else throws.
 */
type Part =
  | "nodes"
  | "modules"
  | "artifacts"
  | "assignments"
  | "versions"
  | "toldOffers"
  | "issuedByConsumer"
  | "issuedByProvider";
interface Question {
  readonly part: Part;
  /** Null: all of it. */
  readonly key: string | null;
}

const resultLimit = 50_000;
const trees = new Map<string, ReadTree<Question, Composition>>();

export function compose(world: World, node: Name, pins: Pins): Composition {
  const name = `${world.mesh} ${node} ${pins.at === "newest" ? "newest" : JSON.stringify(pins.builds)}`;
  const tree = trees.get(name) ?? createReadTree<Question, Composition>(resultLimit);
  trees.set(name, tree);
  const known = tree.find((question) => answer(world, question));
  if (known !== null) return known;
  const asked: Asked<Question>[] = [];
  const result = composeAfresh(listen(world, asked), node, pins);
  tree.keep(asked, result);
  return result;
}

const listening = new WeakMap<World, WorldIndex>();

/** The index of a world that is listened to is listened to as well. */
export function indexWorld(world: World): WorldIndex {
  return listening.get(world) ?? indexAfresh(world);
}

export { providerLabel } from "../../../src/decide/index-world.ts";

function listen(world: World, asked: Asked<Question>[]): World {
  const ask = (part: Part, key: string | null): void => {
    const question = { part, key };
    asked.push({ question, key: answer(world, question) });
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
    issuedByConsumer: listenTo(index.issuedByConsumer, "issuedByConsumer", ask),
    issuedByProvider: listenTo(index.issuedByProvider, "issuedByProvider", ask),
  });
  return heard;
}

function listenTo<K extends string, V>(
  map: ReadonlyMap<K, V>,
  part: Part,
  ask: (part: Part, key: string | null) => void,
): ReadonlyMap<K, V> {
  const refuse = (): never => {
    throw new Error(`compose reads ${part} in a way that the simulator does not listen to`);
  };
  return {
    get(key) {
      ask(part, key);
      return map.get(key);
    },
    [Symbol.iterator]() {
      ask(part, null);
      return map[Symbol.iterator]();
    },
    get size() {
      return refuse();
    },
    has: refuse,
    keys: refuse,
    values: refuse,
    entries: refuse,
    forEach: refuse,
  };
}

/** Objects of the twin are never changed, and are their own keys where the twin keeps one for one content. */
function answer(world: World, { part, key }: Question): AnswerKey {
  if (key === null) return part === "assignments" ? keyOfAll(world.assignments) : refuseAll(part);
  switch (part) {
    case "nodes":
      return world.nodes.get(key);
    case "modules":
      return world.modules.get(key);
    case "artifacts":
      return world.artifacts.get(key);
    case "versions":
      return world.versions.get(key);
    case "assignments":
      return keyOf(keyOfAssignments, world.assignments.get(key));
    case "toldOffers":
      return keyOf(keyOfOffers, toldOffersOf(world, key));
    case "issuedByConsumer":
      return keyOf(keyOfProvisions, indexAfresh(world).issuedByConsumer.get(key));
    case "issuedByProvider":
      return keyOf(keyOfProvisions, indexAfresh(world).issuedByProvider.get(key));
  }
}

function toldOffersOf(world: World, wanted: string): readonly ProviderOffer[] | undefined {
  for (const [kind, offers] of indexAfresh(world).toldOffers) if (kind === wanted) return offers;
  return undefined;
}

function refuseAll(part: Part): never {
  throw new Error(`compose reads all ${part}, which the simulator does not listen to`);
}

function keyOf<T>(workOut: (value: T) => string, value: T | undefined): string | undefined {
  return value === undefined ? undefined : workOut(value);
}

const keyOfAssignments = remember((list: readonly Assignment[]) => JSON.stringify(list));
const keyOfOffers = remember((list: readonly ProviderOffer[]) => JSON.stringify(list));
const keyOfProvision = remember((provision: Provision) => JSON.stringify(provision));
const keyOfProvisions = remember((list: readonly Provision[]) => list.map(keyOfProvision).join());
const keyOfAll = remember((all: World["assignments"]) =>
  [...all].map(([node, list]) => `${node} ${keyOfAssignments(list)}`).join("\n"),
);
