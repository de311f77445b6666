import { UnavailableError } from "../core/errors.ts";
import type { PushResult } from "../core/push.ts";
import { readControllerState } from "./controller-state.ts";
import type { MeshConnection } from "./mesh-connection.ts";

export interface PushRequest {
  /** `declare`: one node by hand. */
  readonly kind: "named" | "behind" | "all" | "declare";
  readonly named: readonly string[];
  readonly requestedBy: string;
  readonly why: string;
  readonly confirmRemoval: boolean;
}

/** The controller, as a command asks things of it: through Temporal. */
export interface Controller {
  startPush(request: PushRequest): Promise<{ readonly pushId: string; result(): Promise<PushResult> }>;
  /** *Go and look*: it decides itself what there is to do. */
  wake(why: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Connects, when a controller acts for this mesh. Throws UnavailableError otherwise: work would be begun and nobody
 * would do it, and a person would wait in silence.
 */
export async function openController(connection: MeshConnection): Promise<Controller> {
  await expectController(connection, startOne);
  return connectToTemporal(connection);
}

/** For pushes, which a shell ends by itself where no controller acts (R40). */
export async function connectToTemporal(connection: MeshConnection): Promise<Controller> {
  const { connectController } = await import("../worker/client.ts");
  const client = await connectController(connection.setup.temporal);
  return {
    startPush: (request) => client.startPush({ mesh: connection.mesh, ...request }),
    wake: (why) => client.wakeReconcile({ mesh: connection.mesh, why }),
    close: () => client.close(),
  };
}

const startOne = "start it: npm start (mesh up), or mesh serve";

/** Throws UnavailableError where none acts, or only a shell does, which ends its own push and no more. */
export async function expectController(connection: MeshConnection, next: string): Promise<void> {
  const state = await readControllerState(connection.db, connection.mesh);
  if (!state.runs) throw new UnavailableError(state.why, next);
  if (state.role === "shell")
    throw new UnavailableError(`no controller runs: the shell ${state.holder} only ends its own push`, next);
}

/** Where a workflow is seen in the Temporal UI; null where nobody said where that is. */
export function workflowPage(
  temporal: { readonly ui: string | null; readonly namespace: string },
  workflowId: string,
): string | null {
  if (temporal.ui === null) return null;
  const base = temporal.ui.replace(/\/+$/, "");
  return `${base}/namespaces/${encodeURIComponent(temporal.namespace)}/workflows/${encodeURIComponent(workflowId)}`;
}
