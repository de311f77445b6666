import { UnavailableError } from "../../core/errors.ts";
import type { ResourceReport } from "../../core/report.ts";
import type { Resource } from "../../core/resource.ts";
import { cutText, describeFailure } from "../describe-failure.ts";
import type { Conclusion, ResourceHandler } from "../resources/resource-handler.ts";

/** What does not answer may answer soon: so long it is waited for before it is a failure. */
const unavailableWithinMs = 30_000;

export interface ApplyResourceOptions {
  /** It was read back as wanted before, just so: a difference now is drift (R44). */
  readonly wasApplied: boolean;
  readonly gate: Conclusion | null;
  /** How long it has been without an answer from what it needs. */
  readonly unavailableMs: () => number;
  readonly redact: (text: string) => string;
  readonly signal: AbortSignal;
}

/**
 * Look, compare, change, look again: the report says what the last look saw (R43). Failures are the resource's own and
 * end in its report; only an abort is thrown.
 */
export async function applyResource<R extends Resource, W, O>(
  handler: ResourceHandler<R, W, O>,
  resource: R,
  options: ApplyResourceOptions,
): Promise<ResourceReport> {
  const report = (conclusion: Conclusion): ResourceReport => toReport(resource.id, conclusion, options);
  try {
    const wanted = await handler.want(resource);
    const before = await handler.read(wanted);
    const difference = handler.diff(wanted, before);
    if (difference === null) return report(handler.conclude(wanted, before));
    if (options.gate !== null) return report(options.gate);
    const failure = await attempt(() => handler.apply(wanted, before));
    if (failure !== null && options.signal.aborted) throw failure.error;
    const conclusion = handler.conclude(wanted, await readAgain(() => handler.read(wanted), failure));
    if (conclusion.state === "applied" || failure === null) return report({ drift: difference, ...conclusion });
    return report({ ...conclusion, ...failed(failure.error, options) });
  } catch (error) {
    if (options.signal.aborted) throw error;
    return report(options.gate ?? failed(error, options));
  }
}

interface Failure {
  readonly error: unknown;
}

async function attempt(act: () => Promise<void>): Promise<Failure | null> {
  try {
    await act();
    return null;
  } catch (error) {
    return { error };
  }
}

/** Where neither the change nor the look works, the change's failure says more. */
async function readAgain<O>(read: () => Promise<O>, failure: Failure | null): Promise<O> {
  try {
    return await read();
  } catch (error) {
    throw failure === null ? error : failure.error;
  }
}

function failed(error: unknown, options: ApplyResourceOptions): Conclusion {
  const isSoon = error instanceof UnavailableError && options.unavailableMs() < unavailableWithinMs;
  return { state: isSoon ? "waiting" : "failed", message: describeFailure(error) };
}

function toReport(id: string, conclusion: Conclusion, options: ApplyResourceOptions): ResourceReport {
  const { state, message, drift, provisions } = conclusion;
  const clean = (text: string, limit: number): string => cutText(options.redact(text), limit);
  return {
    id,
    state,
    message: clean(message, 1900),
    ...(drift === undefined || !options.wasApplied
      ? {}
      : { drift: { wanted: clean(drift.wanted, 490), found: clean(drift.found, 490) } }),
    ...(provisions === undefined ? {} : { provisions: [...provisions] }),
  };
}
