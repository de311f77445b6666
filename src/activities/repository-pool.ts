import { createHash } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { whenThere } from "../core/errors.ts";
import { nameSchema, type Name } from "../core/names.ts";
import { openRepository } from "../source/open-repository.ts";
import type { HostCredentials } from "../source/remote-credentials.ts";
import type { Repository } from "../source/repository.ts";

/** Bare clones by repository name and address: one folder each, opened once. */
export interface RepositoryPool {
  open(repository: { readonly name: Name; readonly url: string }): Promise<Repository>;
}

export interface PoolOptions {
  readonly credentials?: HostCredentials;
  /** The largest clone, where that is not the default. */
  readonly cloneBytes?: number | undefined;
  /** A clone was damaged, and is made anew by the next who asks. */
  readonly onDamaged?: (repository: Name, why: string) => Promise<void>;
  /** A clone could not be made smaller. Not in a process that ends soon: without it whoever fetched waits until it is done. */
  readonly onUntidy?: (repository: Name, error: unknown) => void;
}

export function createRepositoryPool(folder: string, options: PoolOptions = {}): RepositoryPool {
  const { credentials = {}, cloneBytes, onDamaged, onUntidy } = options;
  const opened = new Map<string, Promise<Repository>>();
  return {
    open({ name, url }) {
      const key = `${name} ${url}`;
      const known = opened.get(key);
      if (known !== undefined) return known;
      const dir = cloneName(name, url);
      const opening = openRepository({
        url,
        dir: join(folder, dir),
        credentials,
        ...(cloneBytes === undefined ? {} : { cloneBytes }),
        onDamaged: async (why) => onDamaged?.(name, why),
        ...(onUntidy === undefined ? {} : { onUntidy: (error) => onUntidy(name, error) }),
      }).then(async (repository) => {
        await removeClonesOfOtherAddresses(folder, name, dir);
        return repository;
      });
      opened.set(key, opening);
      // A clone that could not be opened is tried again by the next who asks.
      opening.catch(() => opened.delete(key));
      return opening;
    },
  };
}

/** The address is in it: what came from one origin is never taken for what another one has. */
export function cloneName(name: Name, url: string): string {
  return `${nameSchema.parse(name)}-${createHash("sha256").update(url).digest("hex").slice(0, 12)}.git`;
}

async function removeClonesOfOtherAddresses(folder: string, name: Name, own: string): Promise<void> {
  const pattern = new RegExp(`^${nameSchema.parse(name)}(-[0-9a-f]{12})?\\.git$`);
  for (const entry of (await whenThere(readdir(folder))) ?? [])
    if (entry !== own && pattern.test(entry)) await rm(join(folder, entry), { recursive: true, force: true });
}
