import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Client, Connection } from "@temporalio/client";
import { openMeshConnection, type MeshConnection } from "../../src/cli/mesh-connection.ts";
import { createControllerClient, type ControllerClient } from "../../src/worker/client.ts";
import { openBedMesh, type BedMesh } from "../../test/beds/support/bed-mesh.ts";
import { hostProgram } from "../../test/beds/support/run-mesh.ts";
import { startProcess, type Process } from "../../test/beds/support/start-process.ts";
import { createGitRepository, type GitRepository } from "../../test/support/git-repository.ts";
import type { BenchContext } from "../main.ts";

/** `mesh up` in a process of its own, two hosts in theirs, and this process as one who asks and reads. */
export interface BenchMesh {
  readonly bed: BedMesh;
  readonly connection: MeshConnection;
  readonly client: Client;
  readonly controller: ControllerClient;
  /** The modules' repository: a commit in it is a change. */
  readonly source: GitRepository;
  readonly hostPids: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

export interface BenchMeshOptions {
  readonly name: string;
  /** Files of the source repository; each folder with a mesh.yaml is registered, built and judged. */
  readonly files: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Written before the controller starts. */
  readonly webhooks?: Readonly<Record<string, unknown>>;
}

export const benchHosts = ["node-a", "node-b"] as const;

export async function openBenchMesh(context: BenchContext, options: BenchMeshOptions): Promise<BenchMesh> {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of closers.splice(0).toReversed()) await end();
  };
  try {
    const source = await createGitRepository();
    closers.push(() => source.remove());
    await source.commit({ ...options.files });
    context.say(`${options.name}: bringing up a mesh with two hosts`);
    const bed = await openBedMesh(`bench-${options.name}`, { pollIntervalMs: 3_000, ...options.settings });
    closers.push(() => bed.close());
    if (options.webhooks !== undefined) await setWebhooks(bed, options.webhooks);
    const hostPids = new Map<string, number>();
    for (const node of benchHosts) {
      const host = await addUsualHost(bed, node);
      closers.push(() => host.end());
      hostPids.set(node, host.pid);
    }
    const connection = await openMeshConnection(bed.state, "owner");
    closers.push(() => connection.close());
    const { address, namespace } = connection.setup.temporal;
    const temporal = await Connection.connect({ address });
    closers.push(() => temporal.close());
    const client = new Client({ connection: temporal, namespace });
    const controller = createControllerClient(client, async () => undefined);
    await addModules(bed, source, Object.keys(options.files));
    await noteVersions(context, connection, temporal);
    return { bed, connection, client, controller, source, hostPids, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The controller reads its webhooks when it starts. */
async function setWebhooks(bed: BedMesh, webhooks: Readonly<Record<string, unknown>>): Promise<void> {
  await bed.endUp();
  await writeFile(join(bed.state, "secrets", "webhooks.json"), JSON.stringify(webhooks), { mode: 0o600 });
  await bed.startUp();
}

/** The administrator's password of a server that is not the mesh's own. */
export function providerPasswordFile(bed: BedMesh): string {
  return join(bed.folder, "provider", "password");
}

/** Beds let their hosts look for drift every 5 s; here it is the host's own interval. */
async function addUsualHost(bed: BedMesh, node: string): Promise<Process> {
  await bed.addHost(node);
  await bed.endHost(node);
  const named = ["--admin-password-file", providerPasswordFile(bed)];
  return startProcess([hostProgram, "run", "--dir", bed.hostFolder(node), ...named], {
    logFile: join(bed.folder, `${node}.log`),
  });
}

async function addModules(bed: BedMesh, source: GitRepository, files: readonly string[]): Promise<void> {
  const modules = files.filter((file) => file.endsWith("/mesh.yaml")).map((file) => dirname(file));
  if (modules.length === 0) return;
  await bed.ask("repo", "add", "source", source.dir);
  for (const module of modules) await bed.ask("module", "add", module, "--repo", "source", "--path", module);
  await bed.ask("build", "--wait");
}

async function noteVersions(context: BenchContext, connection: MeshConnection, temporal: Connection): Promise<void> {
  const { serverVersion } = await temporal.workflowService.getSystemInfo({});
  context.versions.temporal = serverVersion ?? "unknown";
  const { rows } = await connection.db.query("show server_version");
  const [row] = rows as { server_version?: string }[];
  context.versions.postgresql = row?.server_version ?? "unknown";
}
