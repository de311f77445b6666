/** A promise that was broken, by its name in docs/guarantees.md, and how. */
export interface Check {
  readonly invariant: string;
  readonly message: string;
}

/** One node in one round of one push. */
export function keyOf(one: { readonly push: string; readonly round: number; readonly node: string }): string {
  return `${one.push} ${one.round} ${one.node}`;
}
