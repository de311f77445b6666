import type { Repository } from "./repository.ts";

export interface OpenRepository {
  /** A file path, file://, https:// or ssh address. */
  readonly url: string;
  /** Folder of the bare clone; made when it is not there. */
  readonly dir: string;
  readonly signal?: AbortSignal;
}

/** Opens (and at first makes) the bare clone. Does not talk to the remote. InputError for an address we refuse. */
export async function openRepository(_options: OpenRepository): Promise<Repository> {
  throw new Error("not written yet");
}
