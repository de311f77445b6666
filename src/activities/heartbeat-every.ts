import { Context } from "@temporalio/activity";

/** Tells the server that the running activity is alive, however long its steps take. Call what it returns at the end. */
export function heartbeatEvery(intervalMs: number): () => void {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), intervalMs);
  return () => clearInterval(timer);
}
