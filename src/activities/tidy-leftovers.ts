import { randomUUID } from "node:crypto";
import { readdir, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { listUnnamedBlobs } from "../build/list-unnamed-blobs.ts";
import { measureFolder } from "../build/measure.ts";
import { removeRoot } from "../build/remove-root.ts";
import { sweepBlobs } from "../build/sweep-artifact.ts";
import { whenThere } from "../core/errors.ts";
import type { Name } from "../core/names.ts";
import {
  type Leftover,
  type LeftoverBounds,
  leftoverGraceMs,
  type LeftoverPlan,
  planLeftovers,
} from "../decide/plan-leftovers.ts";
import type { Database } from "../store/database.ts";
import { dropLogs, listKeptLogs, listNamedBlobs } from "../store/kept-logs.ts";
import { listRepositories } from "../store/repositories.ts";
import { cloneName } from "./repository-pool.ts";

export interface TidyLeftovers {
  readonly db: Database;
  readonly mesh: Name;
  readonly folders: {
    readonly artifacts: string;
    readonly repositories: string;
    readonly builds: string;
    readonly cache: string;
  };
  readonly bounds: Partial<LeftoverBounds>;
  readonly now: () => Date;
  /** Sizes of what does not change once it is kept, by path: measured once by a process. */
  readonly sizes?: Map<string, number>;
}

export interface TidiedLeftovers {
  readonly removed: LeftoverPlan["remove"];
  /** Used again meanwhile: they stay. */
  readonly revived: number;
}

/** What would go now, and what stays. Changes nothing. */
export async function planLeftoversNow(options: TidyLeftovers): Promise<LeftoverPlan> {
  const { db, mesh, folders } = options;
  const logs = (await listKeptLogs(db, mesh)).map((log): Leftover => ({
    kind: "log",
    name: log.blob,
    bytes: log.bytes,
    usedAtMs: Date.parse(log.writtenAt),
    neededFor: log.shownFor.length === 0 ? null : `it is shown for ${log.shownFor.join(", ")}`,
  }));
  const unnamed = (await listUnnamedBlobs(folders.artifacts, await listNamedBlobs(db))).map((blob): Leftover => ({
    kind: "unnamed",
    name: blob.digest,
    bytes: blob.bytes,
    usedAtMs: blob.writtenAtMs,
    neededFor: null,
  }));
  const registered = new Set((await listRepositories(db, mesh)).map(({ name, url }) => cloneName(name, url)));
  const clones = (await listFolder(options, "clone", folders.repositories)).map((one) =>
    registered.has(one.name.slice(folders.repositories.length + 1)) ? { ...one, neededFor: "it is registered" } : one,
  );
  const packages: Leftover[] = [];
  for (const kind of (await whenThere(readdir(folders.cache, { withFileTypes: true }))) ?? [])
    if (kind.isDirectory()) packages.push(...(await listFolder(options, "package", join(folders.cache, kind.name))));
  const work = await listFolder(options, "work", folders.builds);
  return planLeftovers([...logs, ...unnamed, ...packages, ...clones, ...work], options.bounds, options.now().getTime());
}

/** Removes what may go, and answers what went. Cut off in between, the next run goes on. */
export async function tidyLeftovers(options: TidyLeftovers): Promise<TidiedLeftovers> {
  const { db, mesh, folders } = options;
  const plan = await planLeftoversNow(options);
  const removed: LeftoverPlan["remove"][number][] = [];
  for (const one of plan.remove) {
    if (one.kind === "log") await dropLogs(db, mesh, [one.name]);
    const isGone =
      one.kind === "log" || one.kind === "unnamed"
        ? (
            await sweepBlobs({
              dir: folders.artifacts,
              list: () => Promise.resolve([one.name]),
              graceMs: leftoverGraceMs,
            })
          ).fresh.length === 0
        : await removeUnused(one, options.now);
    if (isGone) removed.push(one);
    options.sizes?.delete(one.name);
  }
  return { removed, revived: plan.remove.length - removed.length };
}

async function listFolder(options: TidyLeftovers, kind: Leftover["kind"], folder: string): Promise<Leftover[]> {
  const found: Leftover[] = [];
  for (const entry of (await whenThere(readdir(folder))) ?? []) {
    const name = join(folder, entry);
    const seen = await whenThere(stat(name));
    if (seen === null) continue;
    const bytes = seen.isDirectory() ? await measure(options, kind, name) : seen.size;
    found.push({ kind, name, bytes, usedAtMs: seen.mtimeMs, neededFor: null });
  }
  return found;
}

async function measure({ sizes }: TidyLeftovers, kind: Leftover["kind"], path: string): Promise<number> {
  const known = kind === "package" ? sizes?.get(path) : undefined;
  if (known !== undefined) return known;
  const bytes = await measureFolder(path, Number.MAX_SAFE_INTEGER);
  sizes?.set(path, bytes);
  return bytes;
}

/** Moved first and looked at again: who used it since has it back. */
async function removeUnused({ name }: Leftover, now: () => Date): Promise<boolean> {
  const aside = `${name}.leftover-${randomUUID()}`;
  if ((await whenThere(rename(name, aside).then(() => true))) === null) return true;
  if (now().getTime() - (await stat(aside)).mtimeMs < leftoverGraceMs) {
    await rename(aside, name);
    return false;
  }
  const left = await removeRoot(aside);
  if (left !== "") throw new Error(left.trim());
  return true;
}
