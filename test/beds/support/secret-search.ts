import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { whenThere } from "../../../src/core/errors.ts";
import type { Canary } from "../../support/canary.ts";
import { searchPlaces, type CanarySearch, type Place } from "../../support/canary-places.ts";
import { listMeshPlaces } from "./mesh-places.ts";
import { readRecords } from "./read-records.ts";
import type { Ran } from "./run-mesh.ts";

/** Looks for clear secrets in one mesh (R46, case 51), and remembers whether there was one that it could have found. */
export interface SecretSearch {
  /** To be called while consumers have their credentials: what is withdrawn later is to be seen nowhere. */
  noteMinted(): Promise<void>;
  search(isUp: boolean): Promise<CanarySearch>;
  /** Fails where a secret is in clear, and where the search could not have found one. */
  expectNone(isUp: boolean): Promise<void>;
}

export interface SearchedMesh {
  readonly canary: Canary;
  readonly folder: string;
  readonly state: string;
  /** Holds the hosts' folders. */
  readonly hosts: string;
  readonly said: readonly Ran[];
}

/** What is always there, up or not; and what a mesh that is up has besides. */
const least = 100;
/** No host yet, a host without services, a service without credentials. */
const gone = ["ENOENT", "ENOTDIR"];
const kindsWhenUp = ["row", "history", "cmdline"];

export function openSecretSearch(mesh: SearchedMesh): SecretSearch {
  const { canary, folder, state, said } = mesh;
  let wasSeen = false;
  const kinds = new Set<string>();

  async function noteMinted(): Promise<void> {
    wasSeen ||= await hasCredential(mesh);
  }

  async function search(isUp: boolean): Promise<CanarySearch> {
    return await searchPlaces(canary, notingKinds(listMeshPlaces({ folder, state, said, isUp }), kinds));
  }

  return {
    noteMinted,
    search,
    async expectNone(isUp) {
      await noteMinted();
      kinds.clear();
      const found = await search(isUp);
      const why = sayUnsound({ ...found, kinds, isUp, wasSeen, minted: isUp ? await countProvisions(state) : 0 });
      if (why !== null) throw new Error(why);
    },
  };
}

/** What a search came to, and what it rests on. */
export interface Searched extends CanarySearch {
  /** What was looked at, by the first word of its name. */
  readonly kinds: ReadonlySet<string>;
  readonly isUp: boolean;
  /** How many credentials there ever were; 0 also where no records are up to say so. */
  readonly minted: number;
  /** One with the marker was seen in a service's own file. */
  readonly wasSeen: boolean;
}

/** Why a search does not show that no secret is in clear; null: it does. */
export function sayUnsound({ hits, looked, kinds, isUp, minted, wasSeen }: Searched): string | null {
  if (hits.length > 0) return `secrets in clear: ${hits.join("; ")}`;
  const missing = isUp ? kindsWhenUp.filter((kind) => !kinds.has(kind)) : [];
  if (missing.length > 0) return `nothing of these was looked at for secrets: ${missing.join(", ")}`;
  if (looked < least) return `only ${looked} places were looked at for secrets`;
  if (minted > 0 && !wasSeen)
    return `${minted} credentials were minted, and none with the marker was seen in a provisions.json: this search could find none`;
  return null;
}

/** Every row counts, also of what was withdrawn. */
async function countProvisions(state: string): Promise<number> {
  return (await readRecords(state, "select 1 from provision")).length;
}

/** Whether a service's own file has the marker: the one place where it is meant to be in clear. */
async function hasCredential({ canary, hosts }: SearchedMesh): Promise<boolean> {
  for (const host of (await whenThere(readdir(hosts), gone)) ?? []) {
    const services = join(hosts, host, "root", "etc");
    for (const service of (await whenThere(readdir(services), gone)) ?? []) {
      const bytes = await whenThere(readFile(join(services, service, "provisions.json")), gone);
      if (bytes !== null && canary.find(bytes) !== null) return true;
    }
  }
  return false;
}

async function* notingKinds(places: AsyncIterable<Place>, kinds: Set<string>): AsyncGenerator<Place> {
  for await (const place of places) {
    kinds.add(place.what.split(" ")[0] ?? "");
    yield place;
  }
}
