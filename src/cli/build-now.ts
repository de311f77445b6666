import type { CommandCall, CommandResult } from "./command.ts";
import { type BuildDocument, buildText } from "./text/build-text.ts";
import { buildCode, judgeLooks, wasLookedAt } from "./judge-looks.ts";
import { createLogFollower } from "./follow-build-log.ts";
import { expectModules } from "./expect-modules.ts";
import type { Name } from "../core/names.ts";
import { describeWave } from "../decide/describe-wave.ts";
import { listEdges } from "../store/edges.ts";
import { listModules, type ModuleRecord } from "../store/modules.ts";
import { readClock } from "../store/read-clock.ts";
import { listHeads, type SourceHead } from "../store/source-heads.ts";
import { isUnaccounted, readWaveProgress } from "../store/wave-progress.ts";
import type { MeshConnection } from "./mesh-connection.ts";
import { plainLine } from "./text/plain.ts";
import { isMoving, waitsForMoving } from "./still-moving.ts";
import { pauseAfter, sleep } from "./wait.ts";
import { withMesh } from "./with-mesh.ts";

/** Has the controller look now, and says how the modules stand; with `--wait`, `--follow` and `--again` in the end. */
export async function buildNow(
  call: CommandCall,
  { names, timeoutMs }: { readonly names: readonly Name[]; readonly timeoutMs: number },
): Promise<CommandResult> {
  return await withMesh(call, async (connection) => {
    await expectModules(connection, names);
    if (call.options["again"] === true)
      return await (await import("./build-again.ts")).buildAgain(call, connection, { names, timeoutMs });
    const askedAt = await askToLook(connection, names);
    const follows = call.options["follow"] === true;
    const waits = follows || call.options["wait"] === true;
    const follow = createLogFollower(call, connection, { modules: names, from: askedAt });
    const onTurn = follows ? follow : async (): Promise<void> => undefined;
    const seen = await waitUntilKnown(call, connection, {
      names,
      askedAt,
      until: waits ? "verdicts" : "looked",
      timeoutMs: waits ? timeoutMs : Math.min(timeoutMs, lookMs),
      onTurn,
    });
    const behind = call.options["behind"] === true;
    const modules = behind ? seen.modules.filter((module) => module.standing !== "current") : seen.modules;
    const wave = await readWaveProgress(connection.db, connection.mesh);
    const sources = judgeLooks(seen.heads, seen.modules, askedAt);
    const document: BuildDocument = {
      modules: modules.map(summaryOf),
      registered: seen.modules.length,
      waited: waits,
      sources,
      wave,
    };
    return {
      code: buildCode(modules, sources),
      document: { ...document },
      text: buildText(document, call.context.now()),
    };
  });
}

interface Seen {
  readonly modules: readonly ModuleRecord[];
  readonly heads: readonly SourceHead[];
  /** False: the newest sources were compared, and how these modules stand is of the plan before. */
  readonly isPlanned: boolean;
}

/** Answers the moment, by the database's clock, before the controller was asked. */
async function askToLook(connection: MeshConnection, names: readonly string[]): Promise<string> {
  const askedAt = await readClock(connection.db);
  const { openController } = await import("./controller.ts");
  const controller = await openController(connection);
  try {
    await controller.wake(names.length === 0 ? "mesh build" : `mesh build ${names.slice(0, 5).join(" ")}`);
  } finally {
    await controller.close();
  }
  return askedAt;
}

type WaitsFor = "looked" | "verdicts";

async function readModules(
  { db, mesh }: MeshConnection,
  { names, until }: { readonly names: readonly string[]; readonly until: WaitsFor },
): Promise<Seen> {
  // Before the modules: a wave that accounts for them began before the tips were marked as compared.
  const heads = await listHeads(db, mesh);
  const all = await listModules(db, mesh);
  const wanted = new Set(names.length === 0 ? all.map((module) => module.name) : names);
  const asked = all.filter((module) => wanted.has(module.name));
  const isPlanned = !(await isUnaccounted(
    db,
    mesh,
    asked.filter((module) => mayBeOld(module, until)).map((module) => module.name),
  ));
  if (!isPlanned) return { modules: asked, heads, isPlanned };
  // Again: the plan may have been kept in between.
  const modules = await listModules(db, mesh);
  return { modules: modules.filter((module) => wanted.has(module.name)), heads, isPlanned };
}

/** What waits for another one is as it stands; and what is being built is, for who asks only what is known now. */
function mayBeOld({ standing }: ModuleRecord, until: WaitsFor): boolean {
  return until === "looked" ? standing === "current" : standing !== "waiting";
}

const singleLines = 50;
/** For a look that was asked for just now: what stood before says nothing of a commit that was pushed a moment ago. */
const lookMs = 15_000;

/**
 * Until every source was looked at after the request and what was found is planned; with `verdicts` until every module has
 * one about that. What is known when the time is over says which sources were not looked at.
 */
async function waitUntilKnown(
  call: CommandCall,
  connection: MeshConnection,
  wait: {
    readonly names: readonly string[];
    readonly askedAt: string;
    readonly until: WaitsFor;
    readonly timeoutMs: number;
    readonly onTurn: () => Promise<void>;
  },
): Promise<Seen> {
  const interrupt = call.context.listenForInterrupt();
  const until = performance.now() + wait.timeoutMs;
  const said = new Map<string, string>();
  let saidOfWave: string | null = null;
  for (;;) {
    const startedMs = performance.now();
    const seen = await readModules(connection, wait);
    // After the modules: of a build that has its verdict, all that it printed.
    await wait.onTurn();
    const wave = wait.until === "looked" ? null : await describeNewestWave(connection, wait.askedAt);
    if (wave !== null && wave !== saidOfWave) call.context.stderr.write(`  ${wave}\n`);
    saidOfWave = wave;
    // Of thousands the wave's line says enough.
    for (const module of wait.until === "looked" || seen.modules.length > singleLines ? [] : seen.modules) {
      const stands = sayStanding(module);
      if (said.get(module.name) === stands) continue;
      said.set(module.name, stands);
      call.context.stderr.write(`  ${stands}\n`);
    }
    const isKnown = seen.isPlanned && seen.heads.every((head) => wasLookedAt(head, wait.askedAt));
    if (isKnown && (wait.until === "looked" || !(await isAnyMoving(connection, seen.modules)))) return seen;
    if (performance.now() >= until || interrupt.aborted) return seen;
    await sleep(Math.min(pauseAfter(startedMs, 200), Math.max(1, until - performance.now())), interrupt);
  }
}

/** How far the wave is that goes on now, or that began since the request; null: there is none. */
async function describeNewestWave({ db, mesh }: MeshConnection, askedAt: string): Promise<string | null> {
  const wave = await readWaveProgress(db, mesh);
  if (wave === null || (wave.endedAt !== null && wave.endedAt < askedAt)) return null;
  return describeWave(wave);
}

/** What waits says for whom: its sentence begins with its name. */
function sayStanding({ name, standing, standingWhy }: ModuleRecord): string {
  return standing === "waiting" && standingWhy !== "" ? plainLine(standingWhy, 160) : `${name}: ${standing}`;
}

/** Also what only waits, as long as what it waits for gets its verdict by itself. */
async function isAnyMoving({ db, mesh }: MeshConnection, modules: readonly ModuleRecord[]): Promise<boolean> {
  if (modules.some(isMoving)) return true;
  const waiting = modules.filter((module) => module.standing === "waiting");
  if (waiting.length === 0) return false;
  return waitsForMoving(waiting, await listModules(db, mesh), await listEdges(db, mesh));
}

function summaryOf(module: ModuleRecord): BuildDocument["modules"][number] {
  const { name, standing, standingWhy, sourceCommit, sourceSubject, fitArtifact, comparedAt } = module;
  return { module: name, standing, standingWhy, sourceCommit, sourceSubject, fitArtifact, comparedAt };
}
