/**
 * The errors a person or a retry policy tells apart. The class says *retry or stop*; the message says what
 * happened, to which thing; `next` says what to do.
 */
export class InputError extends Error {
  override readonly name = "InputError";
  readonly next: string;
  constructor(message: string, next = "", options?: ErrorOptions) {
    super(message, options);
    this.next = next;
  }
}

/** No answer from something we depend on: nothing was decided, asking again may help (exit code 3). */
export class UnavailableError extends Error {
  override readonly name = "UnavailableError";
  readonly next: string;
  constructor(message: string, next = "", options?: ErrorOptions) {
    super(message, options);
    this.next = next;
  }
}

/**
 * The records do not let this code do that: a right, a table or a column is not there. Until a person changes the database, doing
 * it again does not help (exit code 2).
 */
export class RecordsRefusedError extends Error {
  override readonly name = "RecordsRefusedError";
  readonly next: string;
  constructor(message: string, next: string, options?: ErrorOptions) {
    super(message, options);
    this.next = next;
  }
}

/** This process is no longer the writer: stop, do not retry (R34, R36). */
export class DeadEpochError extends Error {
  override readonly name = "DeadEpochError";
  constructor(mesh: string, epoch: number) {
    super(`epoch ${epoch} of mesh ${mesh} is over: another controller holds the lease`);
  }
}

/**
 * The mesh is stopped: hosts have what the records never sent, or the records were restored (R35). Nothing is numbered or
 * sent until a person recovers; doing it again does not help. The message names the mesh and why: `sayStopped` makes it.
 */
export class StoppedError extends Error {
  override readonly name = "StoppedError";
  readonly next = "see what each host has: mesh recover";
}

/** A person ended it elsewhere, before it was done: nobody begins it again by itself (exit code 2). */
export class CancelledError extends Error {
  override readonly name = "CancelledError";
  readonly next: string;
  constructor(message: string, next: string, options?: ErrorOptions) {
    super(message, options);
    this.next = next;
  }
}

/** What the system called its failure, e.g. `ENOENT`; null for anything else. */
export function errorCode(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error)) return null;
  return typeof error.code === "string" ? error.code : null;
}

/** Whether this is the system's own error with one of these codes, e.g. `ENOENT`. */
export function hasErrorCode(error: unknown, ...codes: readonly string[]): boolean {
  const code = errorCode(error);
  return code !== null && codes.includes(code);
}

/** Null where the system says, by one of these codes, that the thing is not there. Every other failure goes on. */
export async function whenThere<T>(work: Promise<T>, codes: readonly string[] = ["ENOENT"]): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (!hasErrorCode(error, ...codes)) throw error;
    // absence is the answer: that is what the caller asks about
    return null;
  }
}
