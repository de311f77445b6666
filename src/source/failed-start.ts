import type { ChildProcess } from "node:child_process";

/**
 * Asked right after each spawn; null: it starts, or says as any other what keeps it from it. Where this process has no room
 * for more open files Node gives a child without any stream: whoever uses one gets a TypeError, and the system's own
 * error, which says what is the matter, comes as an event a moment later.
 */
export function failedStart(child: ChildProcess): Promise<Error> | null {
  const stdio: unknown = child.stdio;
  if (stdio !== undefined) return null;
  return new Promise((resolve) => child.once("error", resolve));
}
