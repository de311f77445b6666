import { randomBytes } from "node:crypto";
import { Client, WorkflowFailedError } from "@temporalio/client";
import {
  ApplicationFailure,
  CancelledFailure,
  TerminatedFailure,
  WorkflowNotFoundError,
  type SearchAttributePair,
} from "@temporalio/common";
import { CancelledError, InputError, StoppedError, UnavailableError } from "../core/errors.ts";
import { pushResultSchema, type PushResult } from "../core/push.ts";
import { controlQueue, pushWorkflowId, reconcileWorkflowId } from "../decide/ids.ts";
import type { PushRecord } from "../store/pushes.ts";
import { firstThatFit, meshName, meshNodes, meshPhase } from "../workflows/attributes.ts";
import type { PushInput, ReconcileInput, Wake } from "../workflows/messages.ts";
import { connectClient } from "./temporal/connect-temporal.ts";
import type { TemporalServer } from "./temporal/temporal-server.ts";

export interface PushOrder {
  readonly mesh: string;
  readonly kind: PushInput["kind"];
  readonly named: readonly string[];
  readonly requestedBy: string;
  readonly why: string;
  readonly confirmRemoval: boolean;
}

/** What commands, the gateway and the watch ask of the controller: always through Temporal. */
export interface ControllerClient {
  startPush(order: PushOrder): Promise<{ readonly pushId: string; result(): Promise<PushResult> }>;
  /**
   * Has Temporal run a push that the records have as open: `running` already, `resumed` now, or `over` for good. `isOpen`: by
   * the records, asked once Temporal has said that it does not run it; `ended`: it came to its end meanwhile.
   */
  resumePush(mesh: string, push: PushRecord, isOpen: () => Promise<boolean>): Promise<ResumedPush>;
  /** *Go and look*. Starts the mesh's reconcile loop where none runs. */
  wakeReconcile(wake: { readonly mesh: string; readonly why: string }): Promise<void>;
  /** How that loop stands in Temporal. Throws UnavailableError where there is no answer in time. */
  readLoop(mesh: string): Promise<LoopState>;
  /** Throws UnavailableError where the server, and the namespace, do not answer in time. */
  expectAnswer(): Promise<void>;
  close(): Promise<void>;
}

/** `failing`: its task failed so often in a row, and is tried again; until it succeeds nothing of the loop goes on. */
export type LoopState =
  | { readonly kind: "goes-on" }
  | { readonly kind: "absent" }
  | { readonly kind: "failing"; readonly times: number };

/** Without an answer for so long there is none: a server that is halted keeps its connections. */
const answerMs = 5_000;

export interface ResumedPush {
  readonly kind: "running" | "resumed" | "over" | "ended";
  /** What became of it in Temporal before. */
  readonly why: string;
}

/** With one look this often even if nobody asks: a safety net. Sources are polled by the worker process (see docs). */
const safetyIntervalMs = 2 * 3_600_000;
const roundsPerRun = 200;

export async function connectController(temporal: TemporalServer): Promise<ControllerClient> {
  const connection = await connectClient(temporal);
  return createControllerClient(new Client({ connection, namespace: temporal.namespace }), () => connection.close());
}

export function createControllerClient(client: Client, close: () => Promise<void>): ControllerClient {
  return {
    startPush: (order) => startPush(client, order),
    resumePush: (mesh, push, isOpen) => answered(() => resumePush(client, { mesh, push, isOpen })),
    wakeReconcile: ({ mesh, why }) => answered(() => inTime(client, () => wakeReconcile(client, mesh, why))),
    readLoop: (mesh) => answered(() => inTime(client, () => readLoop(client, mesh))),
    expectAnswer: () => answered(() => inTime(client, () => describeNamespace(client))),
    close,
  };
}

/** The client tries again by itself where a server is away: until then, and no longer. */
function inTime<T>(client: Client, ask: () => Promise<T>): Promise<T> {
  return client.withDeadline(Date.now() + answerMs, ask);
}

async function describeNamespace(client: Client): Promise<void> {
  await client.workflowService.describeNamespace({ namespace: client.options.namespace });
}

async function startPush(client: Client, order: PushOrder): Promise<{ pushId: string; result(): Promise<PushResult> }> {
  const pushId = newPushId(new Date());
  const input: PushInput = { schema: 1, push: pushId, ...order };
  const handle = await answered(() =>
    client.workflow.start("push", {
      taskQueue: controlQueue(order.mesh),
      workflowId: pushWorkflowId(order.mesh, pushId),
      workflowIdConflictPolicy: "USE_EXISTING",
      args: [input],
      staticSummary: summarise(order),
      typedSearchAttributes: attributesOf(order),
    }),
  );
  return { pushId, result: () => readResult(async () => pushResultSchema.parse(await handle.result())) };
}

/** Only what Temporal lost or was told to forget is begun again: what a person cancelled stays so. */
async function resumePush(
  client: Client,
  { mesh, push, isOpen }: { readonly mesh: string; readonly push: PushRecord; readonly isOpen: () => Promise<boolean> },
): Promise<ResumedPush> {
  const { id, kind, named, requestedBy, why, confirmRemoval } = push;
  const workflowId = pushWorkflowId(mesh, id);
  const state = await readState(client, workflowId);
  if (state === "RUNNING" || state === "CONTINUED_AS_NEW") return { kind: "running", why: state };
  if (state === "FAILED" || state === "CANCELLED")
    return { kind: "over", why: state === "FAILED" ? "it failed" : "it was cancelled" };
  // It records its end before Temporal has it as over: what was open in the list may have come to its end since.
  if (!(await isOpen())) return { kind: "ended", why: `Temporal has it as ${state}` };
  const input: PushInput = { schema: 1, push: id, mesh, kind, named, requestedBy, why, confirmRemoval };
  await client.workflow.start("push", {
    taskQueue: controlQueue(mesh),
    workflowId,
    workflowIdConflictPolicy: "USE_EXISTING",
    workflowIdReusePolicy: "ALLOW_DUPLICATE",
    args: [input],
    staticSummary: summarise(input),
    typedSearchAttributes: attributesOf(input),
  });
  return { kind: "resumed", why: state === "unknown" ? "Temporal did not know it" : `Temporal had it as ${state}` };
}

async function readLoop(client: Client, mesh: string): Promise<LoopState> {
  try {
    const { status, raw } = await client.workflow.getHandle(reconcileWorkflowId(mesh)).describe();
    if (status.name !== "RUNNING" && status.name !== "CONTINUED_AS_NEW") return { kind: "absent" };
    const times = (raw.pendingWorkflowTask?.attempt ?? 1) - 1;
    return times === 0 ? { kind: "goes-on" } : { kind: "failing", times };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { kind: "absent" };
    throw error;
  }
}

async function readState(client: Client, workflowId: string): Promise<string> {
  try {
    return (await client.workflow.getHandle(workflowId).describe()).status.name;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return "unknown";
    throw error;
  }
}

function attributesOf(order: PushOrder): SearchAttributePair[] {
  return [
    { key: meshName, value: order.mesh },
    { key: meshPhase, value: "open" },
    ...(order.named.length > 0 ? [{ key: meshNodes, value: firstThatFit(order.named) }] : []),
  ];
}

/** For people: when, and eight characters against two in one second: who starts one that runs would be told its result. */
function newPushId(now: Date): string {
  const stamp = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, "");
  return `${stamp}-${randomBytes(4).toString("hex")}`;
}

function summarise(order: PushOrder): string {
  const who = order.kind === "named" || order.kind === "declare" ? order.named.slice(0, 5).join(", ") : order.kind;
  const verb = order.kind === "declare" ? "declare" : "push";
  return `${verb} ${who}${order.why === "" ? "" : `: ${order.why}`}`.slice(0, 200);
}

async function wakeReconcile(client: Client, mesh: string, why: string): Promise<void> {
  const input: ReconcileInput = { schema: 1, mesh, safetyIntervalMs, roundsPerRun, pending: [] };
  const wake: Wake = { why: why.slice(0, 200) };
  await client.workflow.signalWithStart("reconcile", {
    taskQueue: controlQueue(mesh),
    workflowId: reconcileWorkflowId(mesh),
    args: [input],
    signal: "wake",
    signalArgs: [wake],
    staticSummary: `keeps ${mesh} at what its sources and records say`,
    typedSearchAttributes: [
      { key: meshName, value: mesh },
      { key: meshPhase, value: "reconcile" },
    ],
  });
}

async function readResult(result: () => Promise<PushResult>): Promise<PushResult> {
  try {
    return await answered(result);
  } catch (error) {
    const isLost = error instanceof WorkflowFailedError && error.cause instanceof TerminatedFailure;
    if (isLost || error instanceof WorkflowNotFoundError)
      throw new UnavailableError(
        "Temporal lost this push; a controller begins it again from the records",
        "mesh status shows what becomes of it",
        { cause: error },
      );
    if (error instanceof WorkflowFailedError && error.cause instanceof CancelledFailure)
      throw new CancelledError(
        "the push was cancelled in Temporal: nobody else is told, and what was sent stays sent",
        "mesh status says whom it did not tell; mesh push --behind tells them",
        { cause: error },
      );
    if (error instanceof WorkflowFailedError) {
      const failure = findFailure(error);
      if (failure?.type === "StoppedError") throw new StoppedError(failure.message, { cause: error });
      if (failure?.type === "InputError") throw new InputError(failure.message, nextOf(failure), { cause: error });
    }
    throw error;
  }
}

/** What to do next travels as the failure's first detail. */
function nextOf(failure: ApplicationFailure): string {
  const next: unknown = failure.details?.[0];
  return typeof next === "string" ? next : "";
}

function findFailure(error: Error): ApplicationFailure | null {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof ApplicationFailure) return cause;
  return null;
}

/** gRPC codes that mean *no answer*: 4 deadline, 14 unavailable; *not you*: 16 unauthenticated, 7 permission denied. */
async function answered<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const cause =
      error instanceof Error && error.cause instanceof Error && "code" in error.cause ? error.cause.code : undefined;
    const isOneOf = (...codes: readonly number[]): boolean => [code, cause].some((one) => codes.includes(Number(one)));
    if (isOneOf(4, 14))
      throw new UnavailableError("Temporal does not answer", "check that it runs: npm start brings it up", {
        cause: error,
      });
    if (isOneOf(7, 16))
      throw new UnavailableError(
        "Temporal refuses who asks",
        "set TEMPORAL_API_KEY, or TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH, to what it knows",
        { cause: error },
      );
    throw error;
  }
}
