import { Client, Connection, WorkflowFailedError } from "@temporalio/client";
import { ApplicationFailure, type SearchAttributePair } from "@temporalio/common";
import { InputError, StoppedError, UnavailableError } from "../core/errors.ts";
import { pushResultSchema, type PushResult } from "../core/push.ts";
import { controlQueue, pushWorkflowId, reconcileWorkflowId } from "../decide/ids.ts";
import { meshName, meshNodes, meshPhase } from "../workflows/attributes.ts";
import type { PushInput, ReconcileInput, Wake } from "../workflows/messages.ts";

export interface TemporalAddress {
  readonly address: string;
  readonly namespace: string;
}

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
  /** *Go and look*. Starts the mesh's reconcile loop where none runs. */
  wakeReconcile(wake: { readonly mesh: string; readonly why: string }): Promise<void>;
  close(): Promise<void>;
}

/** With one look this often even if nobody asks: a safety net. Sources are polled by the worker process (see docs). */
const safetyIntervalMs = 2 * 3_600_000;
const roundsPerRun = 200;

export async function connectController(temporal: TemporalAddress): Promise<ControllerClient> {
  const connection = await connect(temporal);
  return createControllerClient(new Client({ connection, namespace: temporal.namespace }), () => connection.close());
}

export function createControllerClient(client: Client, close: () => Promise<void>): ControllerClient {
  return {
    startPush: (order) => startPush(client, order),
    wakeReconcile: ({ mesh, why }) => answered(() => wakeReconcile(client, mesh, why)),
    close,
  };
}

async function connect(temporal: TemporalAddress): Promise<Connection> {
  try {
    return await Connection.connect({ address: temporal.address, connectTimeout: "5 seconds" });
  } catch (error) {
    throw new UnavailableError(
      `Temporal at ${temporal.address} does not answer`,
      "check that it runs: npm start brings it up",
      {
        cause: error,
      },
    );
  }
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

function attributesOf(order: PushOrder): SearchAttributePair[] {
  return [
    { key: meshName, value: order.mesh },
    { key: meshPhase, value: "open" },
    ...(order.named.length > 0 ? [{ key: meshNodes, value: order.named.slice(0, 100) }] : []),
  ];
}

/** For people: when, and four characters against two in one second. */
function newPushId(now: Date): string {
  const stamp = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, "");
  return `${stamp}-${Math.random().toString(16).slice(2, 6).padEnd(4, "0")}`;
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

/** gRPC codes that mean *no answer*: 4 deadline, 14 unavailable. */
async function answered<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const cause =
      error instanceof Error && error.cause instanceof Error && "code" in error.cause ? error.cause.code : undefined;
    if ([4, 14].includes(Number(code)) || [4, 14].includes(Number(cause)))
      throw new UnavailableError("Temporal does not answer", "check that it runs: npm start brings it up", {
        cause: error,
      });
    throw error;
  }
}
