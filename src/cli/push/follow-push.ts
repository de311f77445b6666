import { CancelledError, InputError, StoppedError, UnavailableError } from "../../core/errors.ts";
import type { PushResult } from "../../core/push.ts";
import { pushWorkflowId } from "../../decide/ids.ts";
import type { CliContext } from "../context.ts";
import { type Controller, type PushRequest, workflowPage } from "../controller.ts";
import type { MeshConnection } from "../mesh-connection.ts";
import type { PushDocument } from "../text/push-text.ts";
import { pauseAfter, sleep } from "../wait.ts";
import { listLeft, type PushProgress, readPush } from "./read-push.ts";
import { createProgressLines } from "./progress-lines.ts";
import { sayUnbuilt, type ShellDelivery } from "./shell-delivery.ts";

export interface FollowOptions {
  /** How long to wait for the end of the push and for the reports of the nodes it told, together. */
  readonly timeoutMs: number;
  readonly say: (line: string) => void;
  readonly interrupt: AbortSignal;
  /** Takes the place of a controller where none acts; left out: a controller was seen to run. */
  readonly delivery?: ShellDelivery;
}

/**
 * Starts a push; follows it to its end and then until every node that it told has read back what it was told. What this
 * shell had to deliver by itself ends before this does, and its lease is given back.
 */
export async function followPush(
  connection: MeshConnection,
  controller: Controller,
  request: PushRequest,
  options: FollowOptions,
): Promise<PushDocument> {
  const { delivery } = options;
  try {
    await delivery?.attend();
    const following = follow(connection, controller, request, options);
    const document = await (delivery === undefined ? following : Promise.race([following, delivery.lost]));
    if (options.interrupt.aborted && delivery?.hasActed() === true)
      options.say("what was begun ends first, then this shell gives its lease back");
    await delivery?.stop();
    return delivery?.hasActed() === true ? { ...document, notes: await sayShell(connection, document) } : document;
  } finally {
    await delivery?.stop();
  }
}

/** What a person has to know of a push that this shell ended. */
async function sayShell(connection: MeshConnection, document: PushDocument): Promise<readonly string[]> {
  const unbuilt = await sayUnbuilt(connection);
  return [sayWhatIsLeft(document), ...(unbuilt === null ? [] : [unbuilt])];
}

function sayWhatIsLeft({ outcome, nodes }: PushDocument): string {
  if (outcome === "under-way")
    return "this shell gave its lease back; the push goes on when a controller runs: npm start, or mesh serve";
  const delivered = "this shell ended it and gave its lease back";
  const isFetched = nodes.every(({ effect }) => effect !== "outstanding" && effect !== "cannot-tell");
  return isFetched ? delivered : `${delivered}; hosts fetch it when a controller runs: npm start, or mesh serve`;
}

async function follow(
  connection: MeshConnection,
  controller: Controller,
  request: PushRequest,
  options: FollowOptions,
): Promise<PushDocument> {
  const startedMs = performance.now();
  const elapsed = (): number => performance.now() - startedMs;
  const started = await controller.startPush(request);
  const ui = workflowPage(connection.setup.temporal, pushWorkflowId(connection.mesh, started.pushId));
  options.say(`push ${started.pushId} is under way${ui === null ? "" : `: ${ui}`}`);
  const ended: { result: PushResult | null; error: unknown; ms: number | null } = {
    result: null,
    error: null,
    ms: null,
  };
  const ending = started.result().then(
    (result) => {
      ended.result = result;
      ended.ms = elapsed();
    },
    (error: unknown) => {
      ended.error = error;
    },
  );
  const newLines = createProgressLines();
  let progress: PushProgress = { nodes: [], final: false };
  let appliedMs: number | null = null;
  for (;;) {
    // Asked before the records are read: what the push did before it ended is then in them.
    const over = ended.result !== null;
    const readingMs = performance.now();
    progress = await readPush(connection.db, connection.mesh, started.pushId, connection.setup.settings.silentAfterMs);
    const restMs = pauseAfter(readingMs, elapsed() < 5_000 ? 75 : 300);
    for (const line of newLines(progress.nodes)) options.say(line);
    if (over && progress.final) {
      appliedMs = elapsed();
      break;
    }
    if (ended.error !== null) throw describeEnd(ended.error, started.pushId);
    if (elapsed() >= options.timeoutMs || options.interrupt.aborted) break;
    if (over && (await isLeftAlone(options.delivery))) break;
    if (!over) await options.delivery?.attend();
    const pauseMs = Math.min(restMs, Math.max(1, options.timeoutMs - elapsed()));
    await (over ? sleep(pauseMs, options.interrupt) : Promise.race([ending, sleep(pauseMs, options.interrupt)]));
  }
  const { result } = ended;
  return {
    push: started.pushId,
    outcome: result?.outcome ?? "under-way",
    rounds: result?.rounds ?? 0,
    message: result?.message ?? "",
    moving: await listMoving(connection, result),
    settledMs: result?.outcome === "settled" ? ended.ms : null,
    appliedMs: progress.nodes.every((node) => node.effect === "applied" || node.effect === "not-sent")
      ? appliedMs
      : null,
    nodes: progress.nodes,
    ui,
  };
}

/** A result has the first of them; who waited is told of each (R18). */
async function listMoving({ db, mesh }: MeshConnection, result: PushResult | null): Promise<readonly string[]> {
  if (result === null || result.moving.length === 0) return [];
  return (await listLeft(db, mesh, result)).map(({ node }) => node);
}

/** The push has ended here and no host can fetch it yet: waiting longer shows nothing. */
async function isLeftAlone(delivery: ShellDelivery | undefined): Promise<boolean> {
  if (delivery === undefined || !delivery.hasActed()) return false;
  await delivery.stop();
  return !(await delivery.isFollowed());
}

/** Only starts it: what becomes of it is for `status` to say. */
export async function startPushOnly(
  connection: MeshConnection,
  controller: Controller,
  request: PushRequest,
): Promise<PushDocument> {
  const { pushId } = await controller.startPush(request);
  return {
    push: pushId,
    outcome: "under-way",
    rounds: 0,
    message: "not waited for",
    moving: [],
    settledMs: null,
    appliedMs: null,
    nodes: [],
    ui: workflowPage(connection.setup.temporal, pushWorkflowId(connection.mesh, pushId)),
  };
}

/** The end of a push that has no result: its workflow failed, or Temporal no longer answers. */
function describeEnd(error: unknown, push: string): Error {
  if (isForPeople(error)) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const message = cause instanceof Error ? cause.message : String(cause);
  return new Error(`push ${push} failed: ${message}`, { cause: error });
}

function isForPeople(error: unknown): error is Error {
  return [UnavailableError, InputError, StoppedError, CancelledError].some((kind) => error instanceof kind);
}

export function progressWriter(context: CliContext, quiet: boolean): (line: string) => void {
  return quiet ? () => {} : (line) => context.stderr.write(`${line}\n`);
}
