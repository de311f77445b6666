import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { canary } from "./bed-mesh.ts";
import { killMeshProcesses } from "./mesh-processes.ts";
import { program, runMesh, type Ran } from "./run-mesh.ts";
import { openSecretSearch } from "./secret-search.ts";
import { startProcess, type Process } from "./start-process.ts";
import { waitFor } from "./wait-for.ts";

const upDocumentSchema = z.object({
  readyMs: z.number(),
  troubles: z.array(z.string()),
  modules: z.array(z.object({ module: z.string(), text: z.string() })),
  push: z
    .object({
      outcome: z.string(),
      nodes: z.array(z.object({ node: z.string(), round: z.number(), effect: z.string(), why: z.string() })),
    })
    .nullable(),
  sentNow: z.boolean(),
  addresses: z.object({ example: z.string(), temporalUi: z.string(), controller: z.string() }),
  work: z.string(),
});
export type UpAnswer = z.infer<typeof upDocumentSchema>;

/** What `npm start` runs, with its examples, as a process of its own on a fresh state folder. */
export interface ExampleMesh {
  readonly folder: string;
  readonly state: string;
  /** Starts `mesh up` without waiting for anything. */
  begin(): void;
  /** What it answers once everything is up. Fails when it ends before. */
  ready(): Promise<UpAnswer>;
  start(): Promise<UpAnswer>;
  /** Waits until this start has said so on stderr, that many times. */
  hears(words: string, times?: number): Promise<void>;
  /** Its exit code; null when the signal itself ended it. */
  endUp(signal: NodeJS.Signals): Promise<number | null>;
  run(...args: string[]): Promise<Ran>;
  /** Fails where a credential is in clear in what is kept, said or shown (R46, case 51). The mesh is up. */
  expectNoSecret(): Promise<void>;
  /** Ends everything; fails when a credential is in clear in what is left, or was never looked for while it was up. */
  close(): Promise<void>;
}

const readyWithinMs = 200_000;
const heardWithinMs = 120_000;

export async function createExampleMesh(name: string): Promise<ExampleMesh> {
  const folder = await mkdtemp(join(tmpdir(), `mesh-bed-${name}-`));
  // Servers run as nobody under root: they must get through.
  await chmod(folder, 0o755);
  const state = join(folder, "state");
  await mkdir(state);
  await chmod(state, 0o755);
  await writeFile(join(state, "settings.json"), JSON.stringify({ passwordPrefix: canary.marker }));
  const said: Ran[] = [];
  const secrets = openSecretSearch({ canary, folder, state, hosts: join(state, "hosts"), said });
  let wasReady = false;
  let wasSearched = false;
  let starts = 0;
  let up: Process | null = null;
  const running = (): Process => {
    if (up === null) throw new Error("mesh up was not begun");
    return up;
  };
  const logFile = (): string => join(folder, `up-${starts}.log`);
  const wait = async <T>(what: string, look: () => Promise<T | null>, withinMs: number): Promise<T> => {
    const { child } = running();
    const answer = await waitFor(
      what,
      async () => (await look()) ?? (child.exitCode === null && child.signalCode === null ? null : "ended"),
      withinMs,
    ).catch(async (cause: unknown) => {
      throw new Error(`${what}: ${await readFile(logFile(), "utf8")}`, { cause });
    });
    if (answer === "ended") throw new Error(`mesh up ended before ${what}: ${await readFile(logFile(), "utf8")}`);
    return answer;
  };
  const mesh: ExampleMesh = {
    folder,
    state,
    begin() {
      starts += 1;
      up = startProcess([program, "up", "--no-languages", "--json", "--state", state], { logFile: logFile() });
    },
    async ready() {
      const { stdout } = running();
      const text = await wait("mesh up", async () => (stdout().endsWith("}\n") ? stdout() : null), readyWithinMs);
      wasReady = true;
      await secrets.noteMinted();
      return upDocumentSchema.parse(JSON.parse(text));
    },
    async start() {
      mesh.begin();
      return await mesh.ready();
    },
    async hears(words, times = 1) {
      const look = async (): Promise<true | null> =>
        (await readFile(logFile(), "utf8")).split(words).length > times ? true : null;
      await wait(`it says "${words}"`, look, heardWithinMs);
    },
    endUp: (signal) => running().end(signal),
    async run(...args) {
      const ran = await runMesh(state, args);
      said.push(ran);
      return ran;
    },
    async expectNoSecret() {
      await secrets.expectNone(true);
      wasSearched = true;
    },
    async close() {
      await up?.end();
      await killMeshProcesses(state);
      try {
        // A start that failed has more to say than that nothing was looked for.
        if (!wasReady) return;
        if (!wasSearched) throw new Error("no search for secrets was made while this mesh was up");
        await secrets.expectNone(false);
      } finally {
        if (process.env["MESH_KEEP_BEDS"] === undefined) await rm(folder, { recursive: true, force: true });
      }
    },
  };
  return mesh;
}

/** The example's page, once it answers with rows from its database. */
export async function readBoard(url: string): Promise<readonly string[]> {
  return await waitFor(
    `the page at ${url}`,
    async () => {
      const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
      const rows = [...(await response.text()).matchAll(/<li>(.*?) <small>/g)].map((row) => row[1] ?? "");
      return response.ok && rows.length > 0 ? rows : null;
    },
    60_000,
  );
}

export async function writeOnBoard(url: string, text: string): Promise<void> {
  const response = await fetch(new URL("rows", url), {
    method: "POST",
    body: new URLSearchParams({ text }),
    redirect: "manual",
  });
  if (response.status !== 303) throw new Error(`the page answers ${response.status} to a row`);
}
