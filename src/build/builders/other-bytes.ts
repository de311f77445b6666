export interface OtherBytes {
  readonly lock: string;
  /** Name and version. */
  readonly what: string;
  readonly wanted: string;
  readonly got: string;
  /** Null: the tool does not say. */
  readonly from: string | null;
}

/**
 * A registry whose bytes are not those of the lock file. Nobody here can tell a mirror with damaged bytes from a lock file
 * that names a wrong digest, so it is no verdict on the module (R11): both are named, and it is fetched again.
 */
export function describeOtherBytes({ lock, what, wanted, got, from }: OtherBytes): string {
  const where = from === null ? "the registry" : from;
  return `${lock} says that ${what} is ${wanted}, and ${where} gave ${got}: either the registry's copy is damaged, or the lock file is wrong. It is fetched again by itself; mend the one that is wrong`;
}
