import { seedBuild, seedNodes } from "../../test/flows/support/seed-mesh.ts";
import { assign } from "../../src/store/assignments.ts";
import { openDatabase } from "../../src/store/database.ts";
import type { BenchContext } from "../main.ts";
import { openRecords } from "../mesh/open-records.ts";
import {
  createTeller,
  grantEpoch,
  insertSameRows,
  type Prepared,
  type Teller,
  type TellSample,
} from "../mesh/tell-probe.ts";
import { percentile } from "../report/percentile.ts";
import { type Row, toRow } from "../report/row.ts";

const mesh = "bench";
const batches = [1, 10, 100] as const;
const largest = 100;
const runs = 15;
/** Each run of two tellers at once has nodes of its own, so that what they are to be told is there before the first is told. */
const nodesOfOne = largest * runs;

/**
 * Nodes told through the one transaction, in a mesh of 3,000: alone; by two tellers under one epoch at once, as a second
 * batch or an attempt that timed out beside its retry; and beside a controller of an epoch that is over and asks on.
 */
export async function benchTell(context: BenchContext): Promise<Row[]> {
  const records = await openRecords();
  context.versions.postgresql = records.postgresql;
  const { db } = records.deps;
  const other = openDatabase({
    url: records.url,
    maxConnections: 4,
    applicationName: "other",
    statementTimeoutMs: 60_000,
  });
  try {
    const [ours, theirs] = [listNodes("a"), listNodes("b")];
    context.say(`tell: ${ours.length + theirs.length} nodes into the records`);
    await seed({ db, mesh }, [...ours, ...theirs]);
    const epoch = await grantEpoch(db, mesh);
    const alone = createTeller(db, mesh, epoch, "alone");
    const rows: Row[] = [];
    context.say("tell: all of them are told a first time");
    for (const nodes of [...slicesOf(ours, largest), ...slicesOf(theirs, largest)])
      await alone.tell(await alone.prepare(nodes));
    for (const size of batches) {
      const samples: TellSample[] = [];
      const floor: number[] = [];
      for (let run = 0; run < runs; run += 1) {
        const prepared = await alone.prepare(ours.slice(0, size));
        samples.push(await alone.tell(prepared));
        floor.push(await insertSameRows(db, prepared.push));
      }
      rows.push(...rowsOfAlone(size, samples, floor));
      const pair = [
        createTeller(db, mesh, epoch, `one-${size}`),
        createTeller(other, mesh, epoch, `two-${size}`),
      ] as const;
      const each = [await prepareRuns(pair[0], ours, size), await prepareRuns(pair[1], theirs, size)] as const;
      rows.push(...rowsOfTwo(size, await tellBoth(pair, each), samples));
    }
    return [...rows, await besideDead(context, { db, other }, { epoch, nodes: ours.slice(0, 10) }, rows)];
  } finally {
    await other.end();
    await records.close();
  }
}

type Databases = Readonly<Record<"db" | "other", Parameters<typeof createTeller>[0]>>;

function listNodes(letter: string): string[] {
  return Array.from({ length: nodesOfOne }, (_, index) => `${letter}-${index + 1}`);
}

async function seed(records: Parameters<typeof seedNodes>[0], nodes: readonly string[]): Promise<void> {
  await seedNodes(records, nodes);
  await seedBuild(records, "notes", 1, {
    files: [{ path: "notes.txt", text: "${config.text}" }],
    config: { text: "first" },
  });
  for (const node of nodes)
    await assign(records.db, records.mesh, { node, module: "notes", config: { text: "first" }, providers: {} });
}

function slicesOf(nodes: readonly string[], size: number): string[][] {
  const slices: string[][] = [];
  for (let from = 0; from < nodes.length; from += size) slices.push(nodes.slice(from, from + size));
  return slices;
}

async function prepareRuns(teller: Teller, nodes: readonly string[], size: number): Promise<Prepared[]> {
  const prepared: Prepared[] = [];
  for (const slice of slicesOf(nodes, size).slice(0, runs)) prepared.push(await teller.prepare(slice));
  return prepared;
}

/** Both at once, each batch as soon as its last one was sent; the samples of both, and how long it took in all. */
async function tellBoth(
  tellers: readonly [Teller, Teller],
  each: readonly [readonly Prepared[], readonly Prepared[]],
): Promise<{ readonly samples: readonly TellSample[]; readonly ms: number }> {
  const from = performance.now();
  const loop = async (teller: Teller, all: readonly Prepared[]): Promise<TellSample[]> => {
    const samples: TellSample[] = [];
    for (const prepared of all) samples.push(await teller.tell(prepared));
    return samples;
  };
  const both = await Promise.all([loop(tellers[0], each[0]), loop(tellers[1], each[1])]);
  return { samples: both.flat(), ms: performance.now() - from };
}

function rowsOfAlone(size: number, samples: readonly TellSample[], floor: readonly number[]): Row[] {
  const shared = { bench: "tell" } as const;
  const floorMs = percentile(floor, 0.5);
  return [
    toRow({
      ...shared,
      what: `batch of ${size}, alone`,
      unit: "ms",
      values: samples.map((one) => one.ms),
      against: { words: `the floor: ${floorMs.toFixed(1)} ms`, p50: floorMs },
    }),
    toRow({
      ...shared,
      what: `batch of ${size}, alone: under the gate`,
      unit: "ms",
      values: samples.map((one) => one.gateMs),
    }),
    toRow({ ...shared, what: `batch of ${size}, alone`, unit: "nodes/s", values: rates(size, samples) }),
    toRow({
      ...shared,
      what: `batch of ${size}: the same rows by bare SQL (floor)`,
      unit: "ms",
      values: floor,
      note: "INSERT … SELECT of the declarations and what was told, one transaction, tables of the same shape",
    }),
  ];
}

function rowsOfTwo(
  size: number,
  { samples, ms }: Awaited<ReturnType<typeof tellBoth>>,
  alone: readonly TellSample[],
): Row[] {
  const p50 = percentile(
    alone.map((one) => one.ms),
    0.5,
  );
  return [
    toRow({
      bench: "tell",
      what: `batch of ${size}, two tellers under one epoch`,
      unit: "ms",
      values: samples.map((one) => one.ms),
      against: { words: `alone: ${p50.toFixed(1)} ms`, p50 },
      note: `${Math.round((size * samples.length * 1000) / ms)} nodes/s together`,
    }),
    toRow({
      bench: "tell",
      what: `batch of ${size}, two tellers: under the gate`,
      unit: "ms",
      values: samples.map((one) => one.gateMs),
    }),
  ];
}

function rates(size: number, samples: readonly TellSample[]): number[] {
  return samples.map((one) => (size * 1000) / one.ms);
}

/** The other one was paused and woke: its epoch is over, and it asks again as soon as it was refused. */
async function besideDead(
  context: BenchContext,
  { db, other }: Databases,
  { epoch, nodes }: { readonly epoch: number; readonly nodes: readonly string[] },
  rows: readonly Row[],
): Promise<Row> {
  const dead = createTeller(other, mesh, epoch, "dead");
  const holder = createTeller(db, mesh, await grantEpoch(db, mesh), "holder");
  const stop = new AbortController();
  const knocking = dead.knock(stop.signal);
  const samples: TellSample[] = [];
  try {
    for (let run = 0; run < runs; run += 1) samples.push(await holder.tell(await holder.prepare(nodes)));
  } finally {
    stop.abort();
  }
  const refused = await knocking;
  context.say(`tell: the dead epoch asked ${refused} times and was refused each time`);
  const alone = rows.find((row) => row.what === `batch of ${nodes.length}, alone` && row.unit === "ms");
  if (alone === undefined) throw new Error(`no batch of ${nodes.length} was measured alone`);
  return toRow({
    bench: "tell",
    what: `batch of ${nodes.length}, beside a dead epoch that asks on`,
    unit: "ms",
    values: samples.map((one) => one.ms),
    against: { words: `alone: ${alone.p50.toFixed(1)} ms`, p50: alone.p50 },
    note: `it was refused ${refused} times, and nothing of it was written`,
  });
}
