import type { KnownSource } from "../core/known-source.ts";
import type { Name } from "../core/names.ts";
import type { LockPlace } from "./locks-above.ts";
import type { SeenFolder } from "./look-at-folders.ts";
import { indexPlacements, type Placements } from "./placements.ts";
import { type Claim, type Published, publishNames } from "./publish-names.ts";
import type { RegisteredModule } from "./source-facts.ts";

/** What a comparison worked out of all modules together, for the next one: of equal modules and names it is the same. */
export interface SourceMemory {
  placementsOf(modules: readonly RegisteredModule[]): Placements;
  publishedOf(claims: readonly Claim[], placements: Placements): Published;
  /** What was seen of each module's folder, and what it was seen by. */
  readonly seen: Map<Name, LastSeen>;
  /** By path: where lock files may lie above it. */
  readonly lockPlaces: Map<string, readonly LockPlace[]>;
}

export interface LastSeen {
  readonly before: KnownSource | undefined;
  readonly placements: Placements;
  readonly seen: SeenFolder;
}

export function createSourceMemory(): SourceMemory {
  let placed: { readonly modules: readonly RegisteredModule[]; readonly placements: Placements } | null = null;
  let said: {
    readonly claims: readonly Claim[];
    readonly placements: Placements;
    readonly published: Published;
  } | null = null;
  return {
    seen: new Map(),
    lockPlaces: new Map(),
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

function isSame(before: readonly Claim[], now: readonly Claim[]): boolean {
  return (
    before.length === now.length &&
    now.every((claim, at) => {
      const was = before[at];
      return (
        was !== undefined && claim.module === was.module && claim.language === was.language && hasSameNames(claim, was)
      );
    })
  );
}

function hasSameNames({ names }: Claim, was: Claim): boolean {
  return (
    names === was.names || (names.length === was.names.length && names.every((name, at) => name === was.names[at]))
  );
}
