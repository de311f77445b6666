import { mkdir, mkdtemp, readFile, rm, writeFile, chmod } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { createCanary } from "../../support/canary.ts";
import type { CanarySearch } from "../../support/canary-places.ts";
import { hostProgram, program, runMesh, type Ran } from "./run-mesh.ts";
import { openSecretSearch } from "./secret-search.ts";
import { startProcess, type Process } from "./start-process.ts";
import { waitFor } from "./wait-for.ts";

/** A mesh of this test's own: `mesh up --no-examples` in the foreground of another process, and its hosts. */
export interface BedMesh {
  readonly folder: string;
  readonly state: string;
  /** Any command; every exit code is an answer. */
  run(...args: string[]): Promise<Ran>;
  /** A command that must end with 0: its JSON document. */
  ask(...args: string[]): Promise<Record<string, unknown>>;
  /** `words`: further options of `mesh-host run`, at each of its starts. */
  addHost(node: string, ...words: string[]): Promise<void>;
  startHost(node: string): void;
  /** Ends one host's process; its services stay. */
  endHost(node: string, signal?: NodeJS.Signals): Promise<void>;
  hostFolder(node: string): string;
  /** Ends `mesh up` with this signal, and everything that it started with it when it is orderly. */
  endUp(signal?: NodeJS.Signals): Promise<void>;
  startUp(): Promise<void>;
  /** Looks for the beginning of every minted password in all that is kept, said and shown (R46, case 51). */
  searchCanary(): Promise<CanarySearch>;
  /** Ends everything; fails when the canary was found anywhere, or could not have been. */
  close(): Promise<void>;
}

/** Each generated password begins with it. Two of its signs are encoded in URLs. */
export const canary = createCanary("Canary~7/+Kq9xWmZ");

const documentSchema = z.record(z.string(), z.unknown());

export async function openBedMesh(name: string, settings: Record<string, unknown> = {}): Promise<BedMesh> {
  const folder = await mkdtemp(join(tmpdir(), `mesh-bed-${name}-`));
  // Servers run as nobody under root: they must get through.
  await chmod(folder, 0o755);
  const state = join(folder, "state");
  await mkdir(state);
  await chmod(state, 0o755);
  await writeFile(
    join(state, "settings.json"),
    JSON.stringify({ pollIntervalMs: 1_000, passwordPrefix: canary.marker, ...settings }),
  );
  const hosts = new Map<string, Process>();
  const wordsOf = new Map<string, readonly string[]>();
  let up = await startUp(state, folder);
  const said: Ran[] = [];
  const run = async (...args: string[]): Promise<Ran> => {
    const ran = await runMesh(state, args);
    said.push(ran);
    await secrets.noteMinted();
    return ran;
  };
  const secrets = openSecretSearch({ canary, folder, state, hosts: join(folder, "hosts"), said });
  const isUp = (): boolean => up.child.exitCode === null && up.child.signalCode === null;
  const hostFolder = (node: string): string => join(folder, "hosts", node);
  const startHost = (node: string): void => {
    hosts.set(
      node,
      startProcess([hostProgram, "run", "--dir", hostFolder(node), "--interval", "5", ...(wordsOf.get(node) ?? [])], {
        logFile: join(folder, `${node}.log`),
      }),
    );
  };
  const ask = async (...args: string[]): Promise<Record<string, unknown>> => {
    const ran = await run(...args, "--json");
    if (ran.code !== 0) throw new Error(`mesh ${args.join(" ")} ended with ${ran.code}: ${ran.stdout}${ran.stderr}`);
    return documentSchema.parse(JSON.parse(ran.stdout));
  };
  return {
    folder,
    state,
    run,
    ask,
    hostFolder,
    startHost,
    async addHost(node, ...words) {
      wordsOf.set(node, words);
      const { token } = z.object({ token: z.string() }).parse(await ask("node", "add", node, "--address", "127.0.0.1"));
      await mkdir(hostFolder(node), { recursive: true });
      await chmod(join(folder, "hosts"), 0o755);
      const tokenFile = join(folder, `${node}.token`);
      await writeFile(tokenFile, token, { mode: 0o600 });
      const enrol = startProcess([hostProgram, "enrol", "--dir", hostFolder(node), "--token-file", tokenFile], {
        logFile: join(folder, `${node}.log`),
      });
      const code = await new Promise<number | null>((resolve) => enrol.child.once("close", resolve));
      if (code !== 0) throw new Error(`${node} did not enrol: ${await readFile(join(folder, `${node}.log`), "utf8")}`);
      startHost(node);
    },
    async endHost(node, signal = "SIGTERM") {
      await hosts.get(node)?.end(signal);
    },
    async endUp(signal = "SIGTERM") {
      await up.end(signal);
    },
    async startUp() {
      up = await startUp(state, folder);
    },
    searchCanary: () => secrets.search(isUp()),
    async close() {
      try {
        await secrets.expectNone(isUp());
      } finally {
        for (const [node, host] of hosts) {
          await host.end();
          const stop = startProcess([hostProgram, "stop", "--dir", hostFolder(node)], {
            logFile: join(folder, `${node}.log`),
          });
          await new Promise((resolve) => stop.child.once("close", resolve));
        }
        await up.end();
        if (process.env["MESH_KEEP_BEDS"] === undefined) await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

async function startUp(state: string, folder: string): Promise<Process> {
  const logFile = join(folder, "up.log");
  const up = startProcess([program, "up", "--no-examples", "--json", "--state", state], { logFile });
  try {
    await waitFor(
      "mesh up",
      async () => {
        if (up.child.exitCode !== null) throw new Error(`it ended with ${up.child.exitCode}`);
        return up.stdout().includes('"schema"') ? true : null;
      },
      120_000,
    );
  } catch (error) {
    await up.end();
    throw new Error(`mesh up did not come up: ${await readFile(logFile, "utf8")}`, { cause: error });
  }
  return up;
}
