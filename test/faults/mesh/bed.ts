import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { createCanary } from "../../support/canary.ts";
import { createGitRepository, type GitRepository } from "../../support/git-repository.ts";
import { chooseFreePort } from "../../../src/embedded/ports.ts";
import { findPostgresBinaries } from "../../../src/embedded/postgres-binaries.ts";
import { readRunAs } from "../../../src/embedded/run-as.ts";
import { program, runMesh, type Ran } from "../../beds/support/run-mesh.ts";
import { readRecords } from "../../beds/support/read-records.ts";
import { waitFor } from "../../beds/support/wait-for.ts";
import { keepBaselines } from "../history/keep-baselines.ts";
import { startRecorder, type Recorder } from "../history/recorder.ts";
import type { Answer } from "../history/history.ts";
import { createControllers, type Controllers } from "./controllers.ts";
import { createHosts, type Hosts } from "./hosts.ts";
import { startManaged } from "./managed-process.ts";
import { openNetwork, type Network } from "./network.ts";
import { openServers, type Servers } from "./servers.ts";

/** A mesh of real processes under faults: three machines, a provider among them, and controllers that stand by. */
export interface FaultBed {
  readonly folder: string;
  readonly state: string;
  readonly servers: Servers;
  readonly controllers: Controllers;
  readonly hosts: Hosts;
  /** Null: hosts share this machine's network, and cannot be cut off. */
  readonly network: Network | null;
  readonly source: GitRepository;
  readonly recorder: Recorder;
  /** What `mesh push` answered, in this run. */
  readonly answers: Answer[];
  /** What commands answered, for the search for secrets. */
  readonly said: Ran[];
  say(line: string): void;
  run(...args: string[]): Promise<Ran>;
  /** A command that must end with 0. */
  ask(...args: string[]): Promise<Record<string, unknown>>;
  read<Row extends object>(sql: string): Promise<readonly Row[]>;
  close(): Promise<void>;
}

/** Each generated password begins with it. */
export const canary = createCanary("Canary~7/+Kq9xWmZ");
/** `shop` on node-a has its database on node-b. */
export const nodes = ["node-a", "node-b", "node-c"] as const;
export const webhookSecret = "a-secret-of-the-forge-7f3a";

const modules = fileURLToPath(new URL("../modules/", import.meta.url));
const standby = 2;

export interface BedOptions {
  readonly inside: boolean;
  readonly say: (line: string) => void;
  /** Other programs than those of this clone, e.g. with a bug in them. */
  readonly programs?: { readonly mesh: string; readonly host: string };
}

export async function openFaultBed({ inside, say, programs }: BedOptions): Promise<FaultBed> {
  const folder = await mkdtemp(join(tmpdir(), "mesh-faults-"));
  // Servers run as nobody under root: they must get through.
  await chmod(folder, 0o755);
  const network = inside ? await openNetwork() : null;
  const state = join(folder, "state");
  await prepareState(folder, state, network?.address ?? "127.0.0.1", say);
  const portsSchema = z.object({ postgres: z.number(), temporal: z.number() });
  const ports = portsSchema.parse(JSON.parse(await readFile(join(state, "ports.json"), "utf8")));
  const servers = await openServers(state, ports, say);
  const said: Ran[] = [];
  const read = <Row extends object>(sql: string): Promise<readonly Row[]> => readRecords<Row>(state, sql);
  const run = async (...args: string[]): Promise<Ran> => {
    const ran = await runMesh(state, args);
    said.push(ran);
    return ran;
  };
  const bed: FaultBed = {
    folder,
    state,
    servers,
    controllers: createControllers({
      folder,
      state,
      postgresPort: () => servers.postgresPort(),
      readHolder: async () => (await read<{ holder: string | null }>("select holder from lease"))[0]?.holder ?? null,
      ...(programs === undefined ? {} : { program: programs.mesh }),
    }),
    hosts: createHosts(folder, network, programs?.host),
    network,
    source: await createGitRepository(),
    recorder: startRecorder(() => servers.url()),
    answers: [],
    said,
    say,
    run,
    read,
    async ask(...args) {
      const ran = await run(...args, "--json");
      if (ran.code !== 0) throw new Error(`mesh ${args.join(" ")} ended with ${ran.code}: ${ran.stdout}${ran.stderr}`);
      return z.record(z.string(), z.unknown()).parse(JSON.parse(ran.stdout));
    },
    close: () => closeBed(bed),
  };
  try {
    await raiseMesh(bed);
  } catch (error) {
    await sayLastWords(bed);
    await closeBed(bed);
    throw error;
  }
  return bed;
}

/** A mesh that does not come up is removed with its logs: why it did not is in them. */
async function sayLastWords(bed: FaultBed): Promise<void> {
  for (const node of bed.hosts.nodes) {
    const words = await readFile(bed.hosts.logFile(node), "utf8");
    bed.say(`${node} said last:\n${words.trim().split("\n").slice(-8).join("\n")}`);
  }
}

/** `mesh up` makes tables, keys and ports; it is ended again, since the faults need what it would mend. */
async function prepareState(folder: string, state: string, listen: string, say: (line: string) => void): Promise<void> {
  await mkdir(state);
  await chmod(state, 0o755);
  await writeFile(
    join(state, "settings.json"),
    JSON.stringify({ listen, pollIntervalMs: 1_000, lostAfterMs: 30_000, passwordPrefix: canary.marker }),
  );
  say("bringing up a mesh of three machines");
  const up = startManaged({
    name: "mesh up",
    args: [program, "up", "--no-examples", "--json", "--state", state],
    logFile: join(folder, "up.log"),
  });
  await up.hears('"schema"', 240_000);
  up.signal("SIGTERM");
  await up.ended;
  const hooks = { forge: { forge: "gitea", repository: "source", secrets: [webhookSecret] } };
  await writeFile(join(state, "secrets", "webhooks.json"), JSON.stringify(hooks), { mode: 0o600 });
}

async function raiseMesh(bed: FaultBed): Promise<void> {
  await keepBaselines(bed.servers.url());
  bed.controllers.keep(standby);
  await bed.controllers.waitForHolder();
  for (const node of nodes) {
    const { address } = (await bed.network?.addNode(node)) ?? { address: "127.0.0.1" };
    const { token } = z.object({ token: z.string() }).parse(await bed.ask("node", "add", node, "--address", address));
    await bed.hosts.enrol(node, token);
    bed.hosts.start(node);
  }
  await cp(modules, bed.source.dir, { recursive: true });
  await bed.source.commit({}, "Put the modules in");
  await bed.ask("repo", "add", "source", bed.source.dir);
  for (const module of ["provider", "shop", "site"])
    await bed.ask("module", "add", module, "--repo", "source", "--path", module);
  await bed.ask("build", "--wait");
  const { bin } = await findPostgresBinaries({ runAs: readRunAs(), copyFolder: join(bed.folder, "bin"), major: null });
  const port = await chooseFreePort();
  await bed.ask("assign", "node-b", "provider", "--set", `port=${port}`, "--set", `binDir=${bin}`);
  for (const node of ["node-a", "node-c"]) await bed.ask("assign", node, "site");
  await bed.ask("push", "--all", "--timeout", "120");
  bed.say("the mesh is up: everything is applied on three machines");
}

async function closeBed(bed: FaultBed): Promise<void> {
  await bed.recorder.stop();
  await bed.controllers.stopAll();
  await bed.hosts.stopAll();
  await bed.servers.stop();
  bed.network?.close();
  await bed.source.remove();
  if (process.env["MESH_KEEP_BEDS"] === undefined) await removeFolder(bed.folder);
}

/** A disk of its own in the folder goes with this run's namespace; what is on it can be removed already. */
async function removeFolder(folder: string): Promise<void> {
  await waitFor(
    `${folder} removed`,
    async () => {
      try {
        await rm(folder, { recursive: true, force: true });
        return true;
      } catch (error) {
        if (error instanceof Error && "code" in error && error.code === "EBUSY") return true;
        throw error;
      }
    },
    10_000,
  );
}
