import { join } from "node:path";
import { nameSchema, type Name } from "../core/names.ts";
import { openRepository } from "../source/open-repository.ts";
import type { Repository } from "../source/repository.ts";

/** Bare clones by repository name: one folder each, opened once per address. */
export interface RepositoryPool {
  open(repository: { readonly name: Name; readonly url: string }): Promise<Repository>;
}

export function createRepositoryPool(folder: string): RepositoryPool {
  const opened = new Map<string, Promise<Repository>>();
  return {
    open({ name, url }) {
      const key = `${name} ${url}`;
      const known = opened.get(key);
      if (known !== undefined) return known;
      const opening = openRepository({ url, dir: join(folder, `${nameSchema.parse(name)}.git`) });
      opened.set(key, opening);
      // A clone that could not be opened is tried again by the next who asks.
      opening.catch(() => opened.delete(key));
      return opening;
    },
  };
}
