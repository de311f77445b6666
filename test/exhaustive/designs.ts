/** A way in which the system could have been made, and what may happen to it. */
export interface Design {
  readonly name: string;
  /** The epoch is granted above a floor that is kept beside the lease. */
  readonly floor: boolean;
  /** Number, reads and commit are one transaction. */
  readonly atomic: boolean;
  /** That transaction is refused to an epoch that is over. */
  readonly epochTest: boolean;
  /** A holder checks its own deadline before each act. */
  readonly deadline: boolean;
  /** Somebody empties the lease table or the list of grants. */
  readonly resets: boolean;
  /** A process stands still between its check and its act. */
  readonly pauses: boolean;
  /** Attempts at once in one controller: one that was given up goes on beside its retry. */
  readonly composers: 1 | 2;
  readonly invariant: "holds" | "I2" | "I8";
}

/**
 * As it is built, apart from the deadline: it holds whatever happens, and however often the lease changes hands. A
 * deadline that is checked only takes steps away, so what holds here holds with it.
 */
export const built: Design = {
  name: "number, reads and commit in one transaction that tests the epoch",
  floor: true,
  atomic: true,
  epochTest: true,
  deadline: false,
  resets: true,
  pauses: true,
  composers: 2,
  invariant: "holds",
};

export const designs: readonly Design[] = [
  built,
  { ...built, name: "no floor", floor: false, invariant: "I2" },
  {
    ...built,
    name: "one composer, no transaction, a deadline that is checked, no resets, no pauses",
    atomic: false,
    epochTest: false,
    deadline: true,
    resets: false,
    pauses: false,
    composers: 1,
  },
  {
    ...built,
    name: "the same, when a table is emptied",
    atomic: false,
    epochTest: false,
    deadline: true,
    pauses: false,
    composers: 1,
    invariant: "I8",
  },
  {
    ...built,
    name: "number first, reads outside of the transaction, two composers",
    atomic: false,
    epochTest: false,
    deadline: true,
    resets: false,
    pauses: false,
    invariant: "I8",
  },
  {
    ...built,
    name: "number first and its epoch tested, reads outside of the transaction",
    atomic: false,
    resets: false,
    invariant: "I8",
  },
  {
    ...built,
    name: "one transaction without the epoch's test, a deadline that is checked, no resets, no pauses",
    epochTest: false,
    deadline: true,
    resets: false,
    pauses: false,
  },
  {
    ...built,
    name: "one transaction without the epoch's test, no deadline",
    epochTest: false,
    resets: false,
    invariant: "I8",
  },
  {
    ...built,
    name: "one transaction without the epoch's test, a deadline that is checked, and pauses",
    epochTest: false,
    deadline: true,
    resets: false,
    invariant: "I8",
  },
];
