import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { compareAll } from "../../src/activities/compare-all.ts";
import { createFetchDesk, fetchBounds } from "../../src/activities/fetch-desk.ts";
import { createKeptRecords, keptFor } from "../../src/activities/kept-records.ts";
import { loadBuildPlan } from "../../src/activities/load-build-facts.ts";
import { isSourceFailure } from "../../src/activities/look-at-sources.ts";
import { compareTips, seeTips, type Tips } from "../../src/activities/look-without-keeping.ts";
import { rebuildSet } from "../../src/decide/rebuild-set.ts";
import { openRepository } from "../../src/source/open-repository.ts";
import { readersVersion } from "../../src/source/readers-version.ts";
import { addModule } from "../../src/store/modules.ts";
import { addRepository } from "../../src/store/repositories.ts";
import type { GitRepository } from "../../test/support/git-repository.ts";
import { commitBeside } from "./commit-beside.ts";
import { judgeAll, surroundingsOf } from "./judge-all.ts";
import { openRecords } from "./open-records.ts";

const meshProgram = fileURLToPath(new URL("../../bin/mesh.js", import.meta.url));
const processSchema = z.object({
  mayRebuild: z.array(z.object({ module: z.string() })),
  parsedFiles: z.number(),
  answeredBy: z.string(),
});

export interface OwnAnswer {
  /** Sorted. */
  readonly modules: string[];
  readonly parsed: number;
}

/** Our records of a workspace, in which everything is judged; and the question what the last commit may rebuild. */
export interface Ours {
  readonly postgresql: string;
  /** In this process: asks the repository for its tip, reads what moved, plans, and says why; keeps nothing. */
  ask(): Promise<OwnAnswer>;
  /**
   * Forgets every import, and asks the remote for its tip. What is returned answers from there, as somebody who has read nothing of
   * records and clone; the clone is here, and V8 has compiled the code.
   */
  beginAnew(): Promise<() => Promise<OwnAnswer>>;
  /**
   * Commits each of these changes, and brings it into the clone. Each call answers for the next of them from there: it asks
   * the records and git's objects, and no remote. No answer was given before, so none can be remembered.
   */
  seeEach(changes: readonly Record<string, string>[]): Promise<() => Promise<OwnAnswer>>;
  /** `mesh build --behind --dry-run` as a process of its own; the server is up, and no controller is. */
  askProcess(): Promise<OwnAnswer>;
  /** The same command, while `startAnswering` runs. Fails where anybody else answered. */
  askController(): Promise<OwnAnswer>;
  /**
   * The part of a controller that commands ask, of the built code, in a process of its own; not what a controller does
   * besides. Answers once it listens.
   */
  startAnswering(): Promise<{ stop(): Promise<void> }>;
  /** What was read counts as read by this code, or by the built one, which the process is: each reads again what the other read. */
  readAs(code: "this" | "built"): Promise<void>;
  /** The controller's whole activity: the remote is asked, what moved is written to the records, a wave is announced. */
  compare(): Promise<void>;
  /** Compares, keeps, and gives everything a verdict. */
  settle(commit: string): Promise<void>;
  close(): Promise<void>;
}

export async function openOurs(
  source: GitRepository,
  names: readonly string[],
  say: (line: string) => void,
): Promise<Ours> {
  const records = await openRecords();
  const { deps } = records;
  const state = await mkdtemp(join(tmpdir(), "mesh-bench-state-"));
  const close = async (): Promise<void> => {
    await records.close();
    await rm(state, { recursive: true, force: true });
  };
  try {
    await writeState(state, deps.mesh, records.url);
    await addRepository(deps.db, deps.mesh, { name: "source", url: source.dir });
    const left = [...names];
    const addNext = async (): Promise<void> => {
      for (let name = left.pop(); name !== undefined; name = left.pop())
        await addModule(deps.db, deps.mesh, { name, repository: "source", branch: "main", path: `packages/${name}` });
    };
    await Promise.all(Array.from({ length: 8 }, addNext));
  } catch (error) {
    await close();
    throw error;
  }
  const { db, mesh } = deps;
  const fetches = createFetchDesk(fetchBounds, isSourceFailure);
  const look = {
    db,
    mesh,
    repositories: deps.repositories,
    imports: deps.imports,
    thread: deps.thread,
    fetches,
    kept: keptFor(db, mesh),
  };
  const answer = async (tips: Tips, kept = look.kept): Promise<OwnAnswer> => {
    const looked = await compareTips({ ...look, kept }, tips);
    const newest = { newer: looked.newer, planRecords: looked.records, kept };
    const { facts, plan } = await loadBuildPlan(db, mesh, { ...surroundingsOf(deps), ...newest });
    const modules = rebuildSet(facts, { plan, memory: kept.plans });
    // A reason that nobody read might never have been said.
    if (modules.some(({ why }) => why === "")) throw new Error("a module without a reason");
    return { modules: modules.map(({ module }) => module).toSorted(), parsed: looked.parsedFiles };
  };
  const compare = async (): Promise<void> => {
    const request = { mesh, wave: null, reasons: ["bench"] };
    await compareAll(deps, request, AbortSignal.timeout(1_200_000));
  };
  return {
    postgresql: records.postgresql,
    ask: async () => answer(await seeTips(look)),
    beginAnew: async () => {
      await deps.db.query("truncate blob_imports");
      await deps.db.query("update module set known = null");
      // As the server does by itself, in its own time: what forgetting left behind is nobody's reading.
      await deps.db.query("vacuum analyze");
      const tips = await seeTips({ ...look, repositories: records.openClones() });
      return () => answer(tips, createKeptRecords(db, mesh));
    },
    seeEach: async (changes) => {
      const left: Tips[] = [];
      await commitBeside(source, changes, async () => {
        const tips = await seeTips(look);
        for (const { repository, branch, commit } of tips.heads) {
          const opened = tips.repositories.get(repository);
          if (commit === null || opened === undefined) continue;
          // As if another process brought it: whoever answers has read nothing of it.
          await (await openRepository({ url: opened.url, dir: opened.dir })).fetchCommits([{ branch, commit }]);
        }
        left.push(tips);
        if (left.length % 10 === 0) say(`${left.length} of ${changes.length} commits are in the clone`);
      });
      return async () => {
        const tips = left.shift();
        if (tips === undefined) throw new Error("every commit was asked for");
        return answer(tips);
      };
    },
    askProcess: () => runDryRun(state, "this process"),
    askController: () => runDryRun(state, "controller"),
    startAnswering: () => startAnswering(state),
    readAs: async (code) => {
      const versions = [await readBuiltVersion(), readersVersion()];
      await deps.db.query(
        `update module set known = jsonb_set(known, '{sourceKey}', to_jsonb(replace(known->>'sourceKey', $1::text, $2::text)))`,
        code === "this" ? versions : versions.toReversed(),
      );
    },
    compare,
    settle: async (commit) => {
      const from = performance.now();
      await compare();
      say(`compared in ${seconds(from)} s`);
      await judgeAll(deps, commit, (judged) => say(`${judged} judged, ${seconds(from)} s`));
    },
    close,
  };
}

function seconds(from: number): string {
  return ((performance.now() - from) / 1_000).toFixed(1);
}

/** What `mesh up` would have written for a mesh whose controller does not run. */
async function writeState(state: string, mesh: string, databaseUrl: string): Promise<void> {
  const temporal = { address: "127.0.0.1:1", namespace: "bench", ui: null };
  const file = { schema: 1, mesh, temporal, gateway: { host: "127.0.0.1", port: 1 } };
  await writeFile(join(state, "mesh.json"), JSON.stringify(file));
  await mkdir(join(state, "secrets"), { mode: 0o700 });
  await writeFile(join(state, "secrets", "database-url"), databaseUrl, { mode: 0o600 });
}

async function readBuiltVersion(): Promise<string> {
  const built: unknown = await import(new URL("../../dist/source/readers-version.js", import.meta.url).href);
  return z
    .object({ readersVersion: z.function({ input: [], output: z.string() }) })
    .parse(built)
    .readersVersion();
}

function runDryRun(state: string, answeredBy: "controller" | "this process"): Promise<OwnAnswer> {
  const args = [meshProgram, "--state", state, "build", "--behind", "--dry-run", "--json"];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { maxBuffer: 256 * 1024 * 1024, timeout: 300_000 }, (error, stdout, stderr) => {
      // 1 says that something is out of date.
      if (error !== null && error.code !== 1)
        return reject(new Error(`mesh build --dry-run: ${stderr}`, { cause: error }));
      const document = processSchema.parse(JSON.parse(stdout));
      if (document.answeredBy !== answeredBy) return reject(new Error(`not answered by ${answeredBy}: ${stderr}`));
      resolve({ modules: document.mayRebuild.map((one) => one.module).toSorted(), parsed: document.parsedFiles });
    });
  });
}

async function startAnswering(state: string): Promise<{ stop(): Promise<void> }> {
  const args = ["--import", "tsx", fileURLToPath(new URL("./answering-process.ts", import.meta.url)), state];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const [came] = await Promise.race([once(child.stdout, "data"), ended]);
  if (String(came) !== "listens\n") throw new Error("what answers commands did not start");
  return {
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
