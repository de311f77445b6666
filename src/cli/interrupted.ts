import { UnavailableError } from "../core/errors.ts";

/** What a person ended is not known to its end: asking again may answer it (R48). */
export function interrupted(what = "it was interrupted before it was done", next = "type it again"): UnavailableError {
  return new UnavailableError(what, next);
}

/** Whether this is how a work ended that heeds `interrupt`. An abort that nobody asked for is another matter. */
export function isInterrupt(error: unknown, interrupt: AbortSignal): boolean {
  return interrupt.aborted && error instanceof Error && error.name === "AbortError";
}
