import { errorCode } from "../core/errors.ts";

/** Reports and logs keep messages short; the limit of the report's schema is 2,000. */
const messageLimit = 1000;

/** What went wrong, in words for a report. The same failure gives the same words: no pids, no times (R32). */
export function describeFailure(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const words = wordsByCode.get(errorCode(error));
  return cutText(words === undefined ? withCause(error, message) : `${words}: ${message}`, messageLimit);
}

const wordsByCode: ReadonlyMap<string | null, string> = new Map([
  ["ENOSPC", "no space"],
  ["EDQUOT", "no space"],
  ["EROFS", "the file system is read-only"],
  ["EACCES", "not allowed"],
  ["EPERM", "not allowed"],
]);

function withCause(error: unknown, message: string): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error)) return message;
  return `${message}: ${describeFailure(cause)}`;
}

export function cutText(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1).toWellFormed()}…`;
}
