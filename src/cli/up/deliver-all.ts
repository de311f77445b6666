import { StoppedError } from "../../core/errors.ts";
import { sayStopped } from "../../decide/judge-claim.ts";
import { timeStep } from "../../embedded/progress.ts";
import type { Controller } from "../controller.ts";
import { openController } from "../controller.ts";
import { gatewayUrl } from "../create-host-token.ts";
import type { MeshConnection } from "../mesh-connection.ts";
import { situationLimits } from "../situation-limits.ts";
import { buildStatus } from "../status/build-status.ts";
import { loadStatus } from "../status/load-status.ts";
import { readStop } from "../../store/stop.ts";
import type { PushDocument } from "../text/push-text.ts";
import { sayEffect } from "../text/say-effect.ts";
import type { BroughtUp } from "./bring-up.ts";
import { deliverConsumer, deliverProvider } from "./deliver-examples.ts";
import { readExamplePush } from "./last-example-push.ts";
import { makeExampleRepository } from "./make-example-repository.ts";
import { registerExamples, waitForExamples } from "./register-examples.ts";
import { waitUntilApplied } from "./wait-until-applied.ts";
import { loopback, type UpParts } from "./up-plan.ts";
import type { UpDocument } from "./up-text.ts";

interface Delivered {
  readonly work: string;
  readonly troubles: readonly string[];
  readonly push: PushDocument | null;
  readonly sentNow: boolean;
}

/** The examples from source to effect, and what there is to say about it. */
export async function deliverAll(parts: UpParts, up: BroughtUp): Promise<Delivered> {
  const { say } = parts;
  const { connection } = up;
  const { origin, work } = await timeStep(say, "example repository ready", () => makeExampleRepository(parts));
  // A push would wait for a host that does not come.
  if (up.troubles.length > 0) return { work, troubles: up.troubles, push: null, sentNow: false };
  const stop = await readStop(connection.db, connection.mesh);
  if (stop !== null) return { work, ...notSent(sayStopped(connection.mesh, stop.why)) };
  const controller = await openController(connection);
  try {
    if (await registerExamples(connection, origin)) await controller.wake("the examples were registered");
    const troubles = await timeStep(say, "examples built and judged", () =>
      waitForExamples(parts, connection, controller),
    );
    if (troubles.length > 0) return { work, troubles, push: null, sentNow: false };
    return { work, ...(await sendExamples(parts, up, controller)) };
  } catch (error) {
    // What a person needs to recover is up: hosts that report, and the controller that keeps it.
    if (error instanceof StoppedError) return { work, ...notSent(error.message) };
    throw error;
  } finally {
    await controller.close();
  }
}

function notSent(why: string): Omit<Delivered, "work"> {
  return { troubles: [`${why}; see mesh recover`], push: null, sentNow: false };
}

async function sendExamples(parts: UpParts, up: BroughtUp, controller: Controller): Promise<Omit<Delivered, "work">> {
  const { say } = parts;
  const { connection } = up;
  const provider = await timeStep(say, "provider on node-b", () => deliverProvider(parts, connection, controller));
  const troubles = [...troublesOf(provider)];
  const made = await timeStep(say, "meshboard on node-a", () => deliverConsumer(parts, connection, controller));
  troubles.push(...troublesOf(made));
  if (made === null || provider === null) {
    troubles.push(...(await timeStep(say, "nodes read back what they were told", () => waitUntilApplied(parts, up))));
  }
  return {
    troubles,
    push: made ?? (await readExamplePush(connection)),
    sentNow: made !== null,
  };
}

function troublesOf(push: PushDocument | null): string[] {
  if (push === null) return [];
  const nodes = push.nodes.filter((node) => node.effect !== "applied" && node.effect !== "superseded");
  const words = nodes.map(
    (node) =>
      `${node.node}: ${node.outcome.replaceAll("-", " ")}, ${sayEffect(node.effect)}: ${node.says === "" ? node.why : node.says}`,
  );
  return push.outcome === "settled"
    ? words
    : [`push ${push.push} ${push.outcome.replaceAll("-", " ")}: ${push.message}`, ...words];
}

/** Everything that is said at the end. `delivered` null: a mesh without examples. */
export async function describeUp(
  parts: UpParts,
  connection: MeshConnection,
  delivered: Delivered | null,
  startedMs: number,
): Promise<UpDocument> {
  const limits = situationLimits(connection.setup);
  const { lostAfterMs } = connection.setup.settings;
  const stop = delivered === null ? await readStop(connection.db, connection.mesh) : null;
  const stopped = stop === null ? [] : notSent(sayStopped(connection.mesh, stop.why)).troubles;
  const status = buildStatus(await loadStatus(connection.db, connection.mesh, { limits, lostAfterMs }));
  return {
    mesh: connection.mesh,
    state: parts.paths.root,
    readyMs: performance.now() - startedMs,
    troubles: delivered?.troubles ?? stopped,
    modules: status.modules,
    nodes: status.nodes,
    push: delivered?.push ?? null,
    sentNow: delivered?.sentNow ?? false,
    addresses: {
      example: delivered === null ? null : `http://${loopback}:${parts.ports.meshboard}/`,
      temporalUi: connection.setup.temporal.ui,
      push: delivered?.push?.ui ?? null,
      controller: gatewayUrl(connection.setup.gateway),
    },
    work: delivered?.work ?? null,
  };
}
