import { chmod, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { chooseFreePort } from "../../src/embedded/ports.ts";
import { startPostgres } from "../../src/embedded/postgres.ts";
import { assign } from "../../src/store/assignments.ts";
import type { BenchContext } from "../main.ts";
import { openBenchMesh, providerPasswordFile, type BenchMesh } from "./bench-mesh.ts";
import { databaseModules, notesModule } from "./modules.ts";

/** A mesh whose node-a and node-b hold a note each, and node-b a provider of databases; all of it applied. */
export async function openPushable(context: BenchContext, name: string): Promise<BenchMesh> {
  const mesh = await openBenchMesh(context, { name, files: { ...notesModule, ...databaseModules } });
  try {
    const passwordFile = providerPasswordFile(mesh.bed);
    const folder = dirname(passwordFile);
    await mkdir(folder);
    await chmod(folder, 0o755);
    const server = await startPostgres({
      parent: folder,
      passwordFile,
      port: await chooseFreePort(),
      logFile: join(folder, "postgres.log"),
      progress: () => undefined,
    });
    const config = {
      port: String(server.port),
      adminUser: new URL(server.url).username,
      passwordFile,
    };
    await assign(mesh.connection.db, mesh.connection.mesh, {
      node: "node-b",
      module: "databases",
      config,
      providers: {},
    });
    for (const node of ["node-a", "node-b"]) await setNote(mesh, node, "first");
    await mesh.bed.ask("push", "node-a", "node-b", "--timeout", "60");
    return {
      ...mesh,
      async close() {
        await server.stop();
        await mesh.close();
      },
    };
  } catch (error) {
    await mesh.close();
    throw error;
  }
}

export async function setNote(mesh: BenchMesh, node: string, text: string): Promise<void> {
  const { db, mesh: name } = mesh.connection;
  await assign(db, name, { node, module: "notes", config: { text }, providers: {} });
}
