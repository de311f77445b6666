import { quoteWord } from "./text/quote-word.ts";
import { UnavailableError } from "../core/errors.ts";

/** Nobody listens there, or a server that just begins or ends. */
const downCodes = /^(ECONNREFUSED|ECONNRESET|ENOENT|57P0[1-3])$/;

/**
 * A mesh that is not up, said as that: which statement was to be run when its PostgreSQL did not answer helps nobody.
 * Every other error is given back as it is.
 */
export function explainNoAnswer(error: unknown, state: string): unknown {
  if (!(error instanceof UnavailableError) || !/^PostgreSQL (did not answer|gave up)/.test(error.message)) return error;
  const code = findCode(error.cause, 0);
  if (code === null) return error;
  return new UnavailableError(
    `the mesh in ${state} is not up: its PostgreSQL does not answer (${code})`,
    `npm start (mesh up --state ${quoteWord(state)})`,
    { cause: error },
  );
}

function findCode(error: unknown, depth: number): string | null {
  if (typeof error !== "object" || error === null || depth > 8) return null;
  if ("code" in error && typeof error.code === "string" && downCodes.test(error.code)) return error.code;
  if (error instanceof AggregateError) {
    for (const inner of error.errors as readonly unknown[]) {
      const found = findCode(inner, depth + 1);
      if (found !== null) return found;
    }
  }
  return "cause" in error ? findCode(error.cause, depth + 1) : null;
}
