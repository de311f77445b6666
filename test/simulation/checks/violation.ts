/** A promise that was broken, by its name in docs/guarantees.md. */
export class ViolationError extends Error {
  override readonly name = "ViolationError";
  readonly invariant: string;
  constructor(invariant: string, message: string) {
    super(`${invariant}: ${message}`);
    this.invariant = invariant;
  }
}

export function demand(holds: boolean, invariant: string, message: () => string): asserts holds {
  if (!holds) throw new ViolationError(invariant, message());
}
