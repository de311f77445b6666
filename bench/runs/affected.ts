import { createGitRepository } from "../../test/support/git-repository.ts";
import type { BenchContext } from "../main.ts";
import { makeAffectedModules, type AffectedModules } from "../mesh/affected-modules.ts";
import { openOurs, type Ours, type OwnAnswer } from "../mesh/affected-ours.ts";
import { installPeers, openPeers, rootFiles, type AffectedPeer } from "../mesh/affected-peers.ts";
import { percentile } from "../report/percentile.ts";
import { toRow, type Goal, type Row } from "../report/row.ts";

/**
 * MESH_BENCH_MODULES=5000, MESH_BENCH_RUNS=3. MESH_BENCH_PEERS=turbo,nx: only those whose names begin so, as most of what a
 * run at 5,000 takes is theirs.
 */
const count = Number(process.env["MESH_BENCH_MODULES"] ?? 1_000);
const runs = Number(process.env["MESH_BENCH_RUNS"] ?? 5);
const wantedPeers = (process.env["MESH_BENCH_PEERS"] ?? "").split(",");
const coldRuns = Math.min(2, runs);
/** As of the peers one is not enough, and ours take a second. */
const ownColdRuns = 3 * coldRuns;
/** A controller has made thousands of comparisons before: so many are made first, until V8 has compiled them; then so many count. */
const ownRuns = 4 * runs;
const warmRuns = 60;
/** One right after the other: nothing else has been through the processor's caches in between, as after a peer's answer. */
const rowRuns = 20;

/**
 * Like for like: who keeps a process that remembers is held against a command that asks one of ours, and a command alone
 * against those who keep none.
 */
const servedPeer = "nx, daemon";

interface Timed {
  readonly name: string;
  readonly values: readonly number[];
  readonly p50: number;
  /** Null: as the oracle says; else how it is wrong. */
  readonly wrong: string | null;
  readonly readsImports: boolean;
}

/**
 * Which packages does the last commit reach? The same git repository for every tool, each answer held against the table
 * that the packages were made from. Once as such repositories usually are, and once with edges in imports alone.
 */
export async function benchAffected(context: BenchContext): Promise<Row[]> {
  context.say("affected: installing the peers, unless they are kept from before");
  const installed = await installPeers();
  return [
    ...(await benchWorkspace(context, installed, "declared")),
    ...(await benchWorkspace(context, installed, "imports only")),
  ];
}

async function benchWorkspace(
  context: BenchContext,
  installed: string,
  edges: "declared" | "imports only",
): Promise<Row[]> {
  const modules = makeAffectedModules(count, edges);
  const source = await createGitRepository();
  const closers: (() => Promise<unknown>)[] = [() => source.remove()];
  try {
    context.say(`affected: making ${count} packages, edges ${edges}, and judging them`);
    const base = await source.commit({ ...rootFiles, ...modules.files });
    const opened = await openPeers(installed, source.dir);
    closers.push(() => opened.close());
    const peers = opened.peers.filter(({ name }) => wantedPeers.some((wanted) => name.startsWith(wanted)));
    const ours = await openOurs(source, modules.names, (line) => context.say(`affected:   ours: ${line}`));
    closers.push(() => ours.close());
    context.versions.postgresql ??= ours.postgresql;
    await ours.settle(base);
    const rows: Row[] = [];
    const bench = { context, modules, peers, ours, edges };
    const commit = await source.commit(modules.touch(modules.leaf), "Touch the leaf");
    rows.push(...(await measure(bench, "leaf")));
    await ours.settle(commit);
    await source.commit(modules.touch(modules.core), "Touch the core");
    return [...rows, ...(await measure(bench, "core"))];
  } finally {
    for (const close of closers.toReversed()) await close();
  }
}

interface Bench {
  readonly context: BenchContext;
  readonly modules: AffectedModules;
  readonly peers: readonly AffectedPeer[];
  readonly ours: Ours;
  readonly edges: "declared" | "imports only";
}

async function measure({ context, modules, peers, ours, edges }: Bench, touched: "core" | "leaf"): Promise<Row[]> {
  const expected = modules.affectedBy(modules[touched]);
  const timed: Timed[] = [];
  for (const peer of peers) {
    context.say(`affected: ${touched} touched, edges ${edges}, ${peer.name}`);
    try {
      const one = await time(peer, expected, { ask: () => peer.ask(), times: runs });
      context.say(`affected:   ${Math.round(one.p50)} ms, ${one.wrong ?? "right"}`);
      timed.push(one);
    } catch (error) {
      // No number is better than a wrong one.
      context.say(`affected: ${peer.name} was left out: ${String(error).slice(0, 500)}`);
    }
  }
  let parsed = 0;
  const own = async (
    name: string,
    ask: () => Promise<OwnAnswer>,
    { times, before }: { readonly times: number; readonly before?: () => Promise<unknown> },
  ): Promise<Timed> => {
    const one = await time({ name, readsImports: true }, expected, {
      ask: async () => {
        const answer = await ask();
        parsed = answer.parsed;
        return answer.modules;
      },
      times,
      ...(before === undefined ? {} : { before }),
    });
    // A whole run takes many minutes: each number is said when it is there.
    context.say(`affected:   ${name}: ${one.p50.toFixed(1)} ms, ${one.wrong ?? "right"}`);
    return one;
  };
  const right = timed.filter((one) => one.wrong === null);
  const fastest = Math.min(...right.map((one) => one.p50));
  const unserved = Math.min(
    ...right.filter((one) => one.readsImports && one.name !== servedPeer).map((one) => one.p50),
  );
  const what = (name: string): string => `${count} packages, ${touched} touched, edges ${edges}: ${name}`;
  const toGoal = (limit: number): { goal?: Goal } =>
    Number.isFinite(limit) ? { goal: { limit: Math.round(limit * 10) / 10, at: "p50" } } : {};
  const toOwn = (one: Timed, limit: number): Row =>
    row({ ...one, name: what(one.name) }, toGoal(limit), `${expected.length} affected, ${parsed} files parsed`);
  const rows = timed.map((one) => row({ ...one, name: what(one.name) }, {}, one.readsImports ? "reads imports" : ""));
  context.say(`affected: ${touched} touched, edges ${edges}, ours`);
  const versions = Array.from({ length: warmRuns + ownRuns + rowRuns + 2 }, (_, at) => at + 2);
  const answer = await ours.seeEach(versions.map((version) => modules.touch(modules[touched], version)));
  for (let at = 0; at < warmRuns; at += 1) await answer();
  // Like for like: the peers ask no remote either. In turn with the fastest of them, so that both meet the same load.
  const quickest = peers.find((peer) => right.some((one) => one.name === peer.name && one.p50 === fastest));
  const inTurn: number[] = [];
  const before = async (): Promise<void> => {
    if (quickest !== undefined) inTurn.push(await timeOnce(() => quickest.ask()));
  };
  const direct = await own("ours in process, each time another commit that is in the clone", answer, {
    times: ownRuns,
    before,
  });
  rows.push(toOwn(direct, percentile(inTurn, 0.5) / 10));
  const inRow = await own("ours in process, the same one after the other", answer, { times: rowRuns });
  rows.push(toOwn(inRow, percentile(inTurn, 0.5) / 10));
  const beside = { name: what(`${quickest?.name ?? "nobody"}, in turn with ours`), values: inTurn, wrong: null };
  if (inTurn.length > 0) rows.push(row(beside, {}, ""));
  const asking = await own("ours in process, and the remote asked for its tip", () => ours.ask(), { times: ownRuns });
  rows.push(row({ ...asking, name: what(asking.name) }, {}, `${parsed} files parsed`));
  await ours.readAs("built");
  const command = "ours, mesh build --behind --dry-run";
  rows.push(toOwn(await own(`${command}, no controller`, () => ours.askProcess(), { times: runs }), unserved));
  const served = peers.find(({ name }) => name === servedPeer && right.some((one) => one.name === name));
  const besideServed: number[] = [];
  const answering = await ours.startAnswering();
  try {
    const one = await own(`${command}, asked of a running controller`, () => ours.askController(), {
      times: runs,
      before: async () => {
        if (served !== undefined) besideServed.push(await timeOnce(() => served.ask()));
      },
    });
    rows.push(toOwn(one, besideServed.length === 0 ? Number.POSITIVE_INFINITY : percentile(besideServed, 0.5)));
  } finally {
    await answering.stop();
  }
  const turns = { name: what(`${servedPeer}, in turn with our controller`), values: besideServed, wrong: null };
  if (besideServed.length > 0) rows.push(row(turns, {}, ""));
  await ours.readAs("this");
  const values = [await timeOnce(() => ours.compare())];
  const whole = { name: what("ours, the whole activity, once"), values, wrong: null };
  rows.push(row(whole, {}, "asks the remote, writes the records, announces the wave"));
  if (touched === "core") rows.push(...(await measureCold({ context, peers, ours }, { expected, what, right })));
  return rows;
}

/**
 * Nothing kept but what the packages are registered as. Against the fastest right answer that a tool gives without what it
 * kept: of those that keep nothing that is their ordinary one.
 */
async function measureCold(
  { context, peers, ours }: Pick<Bench, "context" | "peers" | "ours">,
  asked: {
    readonly expected: readonly string[];
    readonly what: (name: string) => string;
    readonly right: readonly Timed[];
  },
): Promise<Row[]> {
  const { expected, what, right } = asked;
  const beside = peers.flatMap(({ forget, ...peer }) =>
    forget === null ? [] : [{ ...peer, forget, values: [] as number[], wrong: null as string | null }],
  );
  let parsed = 0;
  let next = await ours.beginAnew();
  let left = 0;
  const own = await time({ name: "ours in process", readsImports: true }, expected, {
    ask: async () => {
      const answer = await next();
      parsed = answer.parsed;
      return answer.modules;
    },
    times: ownColdRuns,
    // In turn with them, so that all meet the same machine. They take many seconds: before each third of ours.
    before: async () => {
      left += 1;
      if (left % (ownColdRuns / coldRuns) === 0) for (const peer of beside) await askAnew(peer, expected);
      next = await ours.beginAnew();
    },
  });
  const rows: Row[] = [];
  const cold = right.filter(({ name }) => !name.startsWith("nx")).map(({ p50 }) => p50);
  for (const peer of beside) {
    const p50 = percentile(peer.values, 0.5);
    if (peer.wrong === null) cold.push(p50);
    context.say(`affected:   ${peer.name}, nothing kept: ${Math.round(p50)} ms, ${peer.wrong ?? "right"}`);
    rows.push(row({ ...peer, name: what(`${peer.name}, nothing kept, in turn with ours`) }, {}, "reads imports"));
  }
  context.say(`affected:   ours, nothing kept: ${Math.round(own.p50)} ms, ${own.wrong ?? "right"}`);
  const limit = Math.min(...cold) / 3;
  const goal: { goal?: Goal } = Number.isFinite(limit) ? { goal: { limit: Math.round(limit), at: "p50" } } : {};
  return [...rows, row({ ...own, name: what("ours in process, nothing kept") }, goal, `${parsed} files parsed`)];
}

async function askAnew(
  peer: Pick<AffectedPeer, "ask"> & { forget(): Promise<unknown>; readonly values: number[]; wrong: string | null },
  expected: readonly string[],
): Promise<void> {
  await peer.forget();
  let answer: readonly string[] = [];
  peer.values.push(await timeOnce(async () => (answer = await peer.ask())));
  peer.wrong ??= sayWrong(expected, answer);
}

/** The first does not count: what a tool keeps is warm, or was forgotten `before` each. */
async function time(
  { name, readsImports }: Pick<AffectedPeer, "name" | "readsImports">,
  expected: readonly string[],
  asking: {
    readonly ask: () => Promise<readonly string[]>;
    readonly times: number;
    readonly before?: () => Promise<unknown>;
  },
): Promise<Timed> {
  const values: number[] = [];
  let wrong = sayWrong(expected, await asking.ask());
  for (let at = 0; at < asking.times; at += 1) {
    await asking.before?.();
    const from = performance.now();
    const answer = await asking.ask();
    values.push(performance.now() - from);
    wrong ??= sayWrong(expected, answer);
  }
  return { name, values, p50: percentile(values, 0.5), wrong, readsImports };
}

async function timeOnce(act: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await act();
  return performance.now() - from;
}

function sayWrong(expected: readonly string[], answer: readonly string[]): string | null {
  const wanted = new Set(expected);
  const found = new Set(answer);
  const missing = expected.filter((name) => !found.has(name)).length;
  const more = answer.filter((name) => !wanted.has(name)).length;
  if (missing === 0 && more === 0) return null;
  return `WRONG: found ${expected.length - missing} of ${expected.length}${more === 0 ? "" : `, and ${more} others`}`;
}

function row(
  { name, values, wrong }: Pick<Timed, "name" | "values" | "wrong">,
  goal: { readonly goal?: Goal },
  note: string,
): Row {
  const notes = [wrong ?? "right", note].filter((one) => one !== "").join("; ");
  return toRow({ bench: "affected", what: name, unit: "ms", values, note: notes, ...(wrong === null ? goal : {}) });
}
