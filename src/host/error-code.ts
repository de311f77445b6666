import { errorCode } from "../core/errors.ts";

/** Whether this is the system's own error with one of these codes, e.g. `ENOENT`. */
export function isErrorCode(error: unknown, ...codes: readonly string[]): boolean {
  const code = errorCode(error);
  return code !== null && codes.includes(code);
}
