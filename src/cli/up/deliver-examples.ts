import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { canonicalJson } from "../../core/canonical.ts";
import type { Assignment } from "../../core/node.ts";
import { findPostgresBinaries } from "../../embedded/postgres-binaries.ts";
import { readRunAs } from "../../embedded/run-as.ts";
import { assign, getAssignment } from "../../store/assignments.ts";
import { listSent } from "../../store/declarations.ts";
import type { Controller, PushRequest } from "../controller.ts";
import type { MeshConnection } from "../mesh-connection.ts";
import { followPush } from "../push/follow-push.ts";
import type { PushDocument } from "../text/push-text.ts";
import { whoAsks } from "../who-asks.ts";
import type { UpParts } from "./up-plan.ts";

const appliedTimeoutMs = 120_000;

/**
 * Assigns the provider to node-b and has that node told once, so that the server is up: nobody can be provisioned from a
 * node that was never told. Null: it was told before, and nothing is sent again (R50).
 */
export async function deliverProvider(
  parts: UpParts,
  connection: MeshConnection,
  controller: Controller,
): Promise<PushDocument | null> {
  const binaries = await findPostgresBinaries({
    runAs: readRunAs(),
    copyFolder: join(parts.paths.root, "bin"),
    major: readProviderMajor(parts),
  });
  const changed = await keepAssignment(connection, {
    node: "node-b",
    module: "postgres",
    config: { port: String(parts.ports.provider), binDir: binaries.bin },
    providers: {},
  });
  if (!changed && (await wasTold(connection, "node-b"))) return null;
  return await push(parts, connection, controller, {
    kind: "declare",
    named: ["node-b"],
    why: "the provider's server",
  });
}

/** Assigns meshboard to node-a and pushes only that node. Null: it was told before. */
export async function deliverConsumer(
  parts: UpParts,
  connection: MeshConnection,
  controller: Controller,
): Promise<PushDocument | null> {
  const changed = await keepAssignment(connection, {
    node: "node-a",
    module: "meshboard",
    config: { port: String(parts.ports.meshboard) },
    providers: {},
  });
  if (!changed && (await wasTold(connection, "node-a"))) return null;
  return await push(parts, connection, controller, { kind: "named", named: ["node-a"], why: "" });
}

async function push(
  parts: UpParts,
  connection: MeshConnection,
  controller: Controller,
  request: Pick<PushRequest, "kind" | "named" | "why">,
): Promise<PushDocument> {
  return await followPush(
    connection,
    controller,
    { ...request, requestedBy: whoAsks(), confirmRemoval: false },
    { timeoutMs: appliedTimeoutMs, say: parts.say, interrupt: parts.interrupt },
  );
}

/**
 * Only the values of ours are put right (a port, the folder of the programs); what a person has set besides stays. An
 * example that was unassigned by hand comes back only in a mesh that never told its node anything.
 */
async function keepAssignment({ db, mesh }: MeshConnection, wanted: Assignment): Promise<boolean> {
  const { node, module } = wanted;
  const before = await getAssignment(db, mesh, { node, module });
  if (before === null && (await listSent(db, mesh)).some((sent) => sent.node === node)) return false;
  const after = { ...wanted, config: { ...before?.config, ...wanted.config }, providers: before?.providers ?? {} };
  if (before !== null && canonicalJson(before.config) === canonicalJson(after.config)) return false;
  await assign(db, mesh, after);
  return true;
}

async function wasTold({ db, mesh }: MeshConnection, node: string): Promise<boolean> {
  return (await listSent(db, mesh)).some((sent) => sent.node === node);
}

/** The major version of the provider's own data, which only that version can read; null: there is none yet. */
function readProviderMajor(parts: UpParts): number | null {
  const file = join(parts.paths.hosts, "node-b", "root", "data", "postgres", "cluster", "PG_VERSION");
  return existsSync(file) ? Number.parseInt(readFileSync(file, "utf8"), 10) : null;
}
