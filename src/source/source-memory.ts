import type { KnownSource } from "../core/known-source.ts";
import type { Name } from "../core/names.ts";
import type { LockPlace } from "./locks-above.ts";
import type { Placed, SeenFolder } from "./look-at-folders.ts";
import { indexPlacements, type Placements } from "./placements.ts";
import { type Claim, type Published, publishNames } from "./publish-names.ts";
import type { RegisteredModule } from "./source-facts.ts";

/** What a comparison worked out of all modules together, for the next one: of equal modules and names it is the same. */
export interface SourceMemory {
  placementsOf(modules: readonly RegisteredModule[]): Placements;
  publishedOf(claims: readonly Claim[], placements: Placements): Published;
  /** Modules by the branch they follow. */
  membersOf(modules: readonly RegisteredModule[]): ReadonlyMap<string, readonly RegisteredModule[]>;
  placesOf(modules: readonly RegisteredModule[]): ReadonlyMap<Name, MemberPlace>;
  /** By `headKey`: what was seen of its modules' folders. */
  readonly looks: Map<string, LastLook>;
  /** Modules whose facts hold no more because of others; see `findStale`. */
  readonly stale: { last: StaleModules | null };
  /** By path: where lock files may lie above it. */
  readonly lockPlaces: Map<string, readonly LockPlace[]>;
}

/** Where a module is among those of its branch, and among all of them. */
export interface MemberPlace {
  /** `headKey`. */
  readonly head: string;
  readonly at: number;
  readonly order: number;
}

/** `seen`: by the places of `members`, at `commit`, held against `known`. */
export interface LastLook extends Placed {
  readonly placements: Placements;
  /** Keys of the readers. */
  readonly readBy: string;
  readonly known: ReadonlyMap<Name, KnownSource>;
  readonly seen: readonly SeenFolder[];
}

export interface StaleModules {
  readonly known: ReadonlyMap<Name, KnownSource>;
  readonly modules: readonly RegisteredModule[];
  readonly published: Published;
  readonly names: ReadonlySet<Name>;
}

export function createSourceMemory(): SourceMemory {
  let placed: { readonly modules: readonly RegisteredModule[]; readonly placements: Placements } | null = null;
  let grouped: Grouped | null = null;
  const group = (modules: readonly RegisteredModule[]): Grouped => {
    if (grouped?.modules !== modules) grouped = { modules, ...groupByHead(modules) };
    return grouped;
  };
  let said: {
    readonly claims: readonly Claim[];
    readonly placements: Placements;
    readonly published: Published;
  } | null = null;
  return {
    looks: new Map(),
    stale: { last: null },
    lockPlaces: new Map(),
    membersOf: (modules) => group(modules).members,
    placesOf: (modules) => group(modules).places,
    placementsOf: (modules) => {
      if (placed?.modules !== modules) placed = { modules, placements: indexPlacements(modules) };
      return placed.placements;
    },
    publishedOf: (claims, placements) => {
      if (said === null || said.placements !== placements || !isSame(said.claims, claims))
        said = { claims, placements, published: publishNames(claims, placements.text) };
      return said.published;
    },
  };
}

interface Grouped {
  readonly modules: readonly RegisteredModule[];
  readonly members: ReadonlyMap<string, readonly RegisteredModule[]>;
  readonly places: ReadonlyMap<Name, MemberPlace>;
}

function groupByHead(modules: readonly RegisteredModule[]): Omit<Grouped, "modules"> {
  const members = new Map<string, RegisteredModule[]>();
  const places = new Map<Name, MemberPlace>();
  for (const [order, module] of modules.entries()) {
    const head = `${module.repository}#${module.branch}`;
    const own = members.get(head) ?? [];
    members.set(head, own);
    places.set(module.module, { head, at: own.length, order });
    own.push(module);
  }
  return { members, places };
}

function isSame(before: readonly Claim[], now: readonly Claim[]): boolean {
  return (
    before.length === now.length &&
    now.every((claim, at) => {
      const was = before[at];
      return (
        was === claim ||
        (was !== undefined &&
          claim.module === was.module &&
          claim.language === was.language &&
          hasSameNames(claim, was))
      );
    })
  );
}

function hasSameNames({ names }: Claim, was: Claim): boolean {
  return (
    names === was.names || (names.length === was.names.length && names.every((name, at) => name === was.names[at]))
  );
}
