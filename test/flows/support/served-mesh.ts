import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";
import { keepDatabaseLogins } from "../../../src/cli/database-logins.ts";
import { meshPaths } from "../../../src/cli/mesh-setup.ts";
import { prepareKeys } from "../../../src/cli/up/prepare-keys.ts";
import { chooseFreePort } from "../../../src/embedded/ports.ts";
import { writePrivateFile } from "../../../src/disk/private-file.ts";
import { openDatabase, type Database } from "../../../src/store/database.ts";
import { ensureMesh } from "../../../src/store/meshes.ts";
import { bundlePrograms } from "../../support/bundle-programs.ts";
import type { TemporalServer } from "../../../src/worker/temporal/temporal-server.ts";
import { dropLogins } from "../../support/drop-logins.ts";
import { createFreshDatabase } from "../../support/fresh-database.ts";
import { bundleWorkflows } from "../../support/workflow-bundle.ts";
import { waitUntil } from "./wait-until.ts";

/** A process of the product over this mesh's state folder. */
export interface MeshProcess {
  readonly child: ChildProcess;
  /** `<host>/<pid>`, as in the lease. */
  readonly pid: number;
  /** Everything it wrote so far. */
  output(): string;
  hears(text: string | RegExp, withinMs?: number): Promise<void>;
  /** The signal, and then its end. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  ended(): Promise<number | null>;
}

/** A state folder with keys and a mesh's records, and no process yet: controllers and shells are started as people do. */
export interface ServedMesh {
  readonly mesh: string;
  readonly db: Database;
  readonly state: string;
  /** Where its controllers listen. */
  readonly gateway: { readonly host: string; readonly port: number };
  startController(): MeshProcess;
  /** `mesh WORDS`, as a process of its own. */
  startShell(...words: string[]): MeshProcess;
  close(): Promise<void>;
}

const controllerScript = fileURLToPath(new URL("controller-process.ts", import.meta.url));
const shellScript = fileURLToPath(new URL("shell-process.ts", import.meta.url));
let programs: Promise<readonly string[]> | undefined;

export interface ServedOptions {
  /** Else the test run's own server. */
  readonly temporal?: TemporalServer;
  /** Beside this process's own, for all of its processes. */
  readonly env?: Readonly<Record<string, string>>;
}

export async function openServedMesh(options: ServedOptions = {}): Promise<ServedMesh> {
  const database = await createFreshDatabase();
  const state = await mkdtemp(join(tmpdir(), "mesh-served-"));
  const mesh = `served-${randomBytes(4).toString("hex")}`;
  const db = openDatabase({
    url: database.url,
    maxConnections: 4,
    applicationName: "served-flow",
    statementTimeoutMs: 20_000,
  });
  await ensureMesh(db, mesh);
  const paths = meshPaths(state);
  await mkdir(paths.secrets, { mode: 0o700 });
  await prepareKeys({ mesh, paths, listen: "127.0.0.1", say: () => undefined }, Date.now());
  await writePrivateFile(paths.databaseUrl, database.url);
  // As `mesh up` makes it: the controller is the owner of nothing.
  const trouble = await keepDatabaseLogins(db, database.url, paths);
  if (trouble !== null) throw new Error(trouble);
  const server = options.temporal ?? { address: inject("temporalAddress"), namespace: "default" };
  const temporal = { ...server, ui: null };
  const gateway = { host: "127.0.0.1", port: await chooseFreePort() };
  await writeFile(paths.meshFile, JSON.stringify({ schema: 1, mesh, temporal, gateway }));
  const bundle = join(state, "workflows.js");
  await writeFile(bundle, (await bundleWorkflows()).code);
  const [controllerProgram = "", shellProgram = ""] = await (programs ??= bundlePrograms([
    controllerScript,
    shellScript,
  ]));
  const running: MeshProcess[] = [];
  const start = (program: string, words: readonly string[]): MeshProcess => {
    const process = startProcess(program, [state, bundle, ...words], options.env);
    running.push(process);
    return process;
  };
  return {
    mesh,
    db,
    state,
    gateway,
    startController: () => start(controllerProgram, []),
    startShell: (...words) => start(shellProgram, words),
    async close() {
      await Promise.all(running.map((one) => one.end("SIGKILL")));
      await dropLogins(db, paths);
      await db.end();
      await database.drop();
      await rm(state, { recursive: true, force: true });
    },
  };
}

function startProcess(program: string, words: readonly string[], env: ServedOptions["env"] = {}): MeshProcess {
  const child = spawn(process.execPath, [program, ...words], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const ended = once(child, "exit").then(() => child.exitCode);
  return {
    child,
    pid: child.pid ?? 0,
    output: () => output,
    async hears(text, withinMs = 60_000) {
      try {
        const isSaid = async (): Promise<boolean> =>
          typeof text === "string" ? output.includes(text) : text.test(output);
        await waitUntil(`"${text}" is said`, isSaid, withinMs);
      } catch (cause) {
        throw new Error(`it said only:\n${output}`, { cause });
      }
    },
    async end(signal) {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return ended;
    },
    ended: () => ended,
  };
}
