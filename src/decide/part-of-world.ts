import type { Name } from "../core/names.ts";
import { consumerNodeOf } from "./provision-name.ts";
import type { Extent, World } from "./world.ts";

/**
 * A part of the world, which answers for what it was loaded for and throws at every other question: what was not loaded
 * is not absent (R26). Nobody may ask for all of anything; `loadedOf` is for indexes, which are bound as well.
 */
export function boundWorld(world: World, extent: Extent): World {
  const isAround = (node: Name): boolean => extent.around.has(node);
  const isOfComposed = (id: string): boolean => extent.nodes.has(consumerNodeOf(id));
  return {
    mesh: world.mesh,
    nodes: boundMap(world.nodes, "the node", isAround),
    modules: boundMap(world.modules, "the module", (module) => extent.modules.has(module)),
    artifacts: boundMap(world.artifacts, "the artifact", (key) => extent.artifacts.has(key)),
    assignments: boundMap(world.assignments, "what is assigned to", isAround),
    provisions: boundMap(world.provisions, "the provision", isOfComposed),
    versions: boundMap(world.versions, "the versions of", isOfComposed),
    sent: boundMap(world.sent, "what was last sent to", isAround),
    ...(world.claims === undefined ? {} : { claims: boundMap(world.claims, "the claim of", isAround) }),
    ...(world.reverted === undefined ? {} : { reverted: boundMap(world.reverted, "the reversion of", isAround) }),
    extent,
  };
}

export function boundMap<K, V>(map: ReadonlyMap<K, V>, what: string, isLoaded: (key: K) => boolean): ReadonlyMap<K, V> {
  return new BoundMap(map, what, isLoaded);
}

/** What was loaded of it; of a whole world everything. */
export function loadedOf<K, V>(map: ReadonlyMap<K, V>): ReadonlyMap<K, V> {
  return isBound(map) ? map.loaded : map;
}

/** A copy with these, bound as it was. What was not loaded cannot be set either. */
export function withEntries<K, V>(map: ReadonlyMap<K, V>, entries: Iterable<readonly [K, V]>): ReadonlyMap<K, V> {
  if (isBound(map)) return map.with(entries);
  const copy = new Map(map);
  for (const [key, value] of entries) copy.set(key, value);
  return copy;
}

function isBound<K, V>(map: ReadonlyMap<K, V>): map is BoundMap<K, V> {
  return map instanceof BoundMap;
}

class BoundMap<K, V> implements ReadonlyMap<K, V> {
  readonly loaded: ReadonlyMap<K, V>;
  readonly #what: string;
  readonly #isLoaded: (key: K) => boolean;

  constructor(loaded: ReadonlyMap<K, V>, what: string, isLoaded: (key: K) => boolean) {
    this.loaded = loaded;
    this.#what = what;
    this.#isLoaded = isLoaded;
  }

  get(key: K): V | undefined {
    this.#expect(key);
    return this.loaded.get(key);
  }

  has(key: K): boolean {
    this.#expect(key);
    return this.loaded.has(key);
  }

  with(entries: Iterable<readonly [K, V]>): BoundMap<K, V> {
    const copy = new Map(this.loaded);
    for (const [key, value] of entries) {
      this.#expect(key);
      copy.set(key, value);
    }
    return new BoundMap(copy, this.#what, this.#isLoaded);
  }

  get size(): number {
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

  [Symbol.iterator](): ReturnType<ReadonlyMap<K, V>["entries"]> {
    return this.#refuse();
  }

  forEach(): void {
    this.#refuse();
  }

  #expect(key: K): void {
    if (!this.#isLoaded(key))
      throw new Error(`${this.#what} ${String(key)} was asked of a part of the world that was not loaded for it`);
  }

  #refuse(): never {
    throw new Error(`all of ${this.#what} … was asked of a part of the world`);
  }
}
