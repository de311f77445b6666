import { loadWorldFor } from "../../src/store/part-of-world.ts";
import { inTransaction } from "../../src/store/transaction.ts";
import type { Database, Transaction } from "../../src/store/database.ts";
import { loadWorld } from "../../src/store/world.ts";
import { percentile } from "../report/percentile.ts";
import { type Row, toRow } from "../report/row.ts";

const runs = Number(process.env["MESH_BENCH_RUNS"] ?? 7);

interface Loading {
  /** Until it is loaded. */
  readonly ms: number;
  /** Processor time of this process in that. */
  readonly cpuMs: number;
  /** Waiting for answers of PostgreSQL, its parsing of them and ours of the protocol among it. */
  readonly answeredMs: number;
  readonly statements: number;
}

/** What a batch reads under the gate, next to the whole world: in one process, in turn, so that both meet the same machine. */
export async function measureLoading(
  db: Database,
  mesh: string,
  nodes: { readonly ours: readonly string[]; readonly consumers: readonly string[] },
): Promise<Row[]> {
  const { ours, consumers } = nodes;
  const parts = [
    { what: "the part for 1", names: ours.slice(0, 1) },
    { what: "the part for 10", names: ours.slice(0, 10) },
    { what: "the part for 100", names: ours },
    { what: `the part for ${consumers.length}, each with a database`, names: consumers },
  ];
  const whole: Loading[] = [];
  const loadings = parts.map((): Loading[] => []);
  for (let run = 0; run < runs; run += 1) {
    whole.push(await measure(db, (tx) => loadWorld(tx, mesh)));
    for (const [at, { names }] of parts.entries())
      loadings[at]?.push(await measure(db, (tx) => loadWorldFor(tx, mesh, names)));
  }
  return [
    ...rowsOf("the whole world", whole, null),
    ...parts.flatMap(({ what }, at) => rowsOf(what, loadings[at] ?? [], whole)),
  ];
}

async function measure(db: Database, load: (tx: Transaction) => Promise<unknown>): Promise<Loading> {
  return inTransaction(db, { isolation: "repeatable read", access: "read only" }, async (tx) => {
    let statements = 0;
    let answeredMs = 0;
    const query: Transaction["query"] = async (sql, values) => {
      statements += 1;
      const from = performance.now();
      const answer = await tx.query(sql, values);
      answeredMs += performance.now() - from;
      return answer;
    };
    const [from, cpu] = [performance.now(), process.cpuUsage()];
    await load({ transaction: true, query });
    const { user, system } = process.cpuUsage(cpu);
    return { ms: performance.now() - from, cpuMs: (user + system) / 1000, answeredMs, statements };
  });
}

function rowsOf(what: string, loadings: readonly Loading[], whole: readonly Loading[] | null): Row[] {
  const row = (words: string, pick: (one: Loading) => number): Row => {
    const p50 = whole === null ? null : percentile(whole.map(pick), 0.5);
    const against = p50 === null ? {} : { against: { words: `the whole world: ${p50.toFixed(1)} ms`, p50 } };
    return toRow({
      bench: "loading",
      what: `loading ${what}${words}`,
      unit: "ms",
      values: loadings.map(pick),
      ...against,
    });
  };
  const statements = loadings.map((one) => one.statements);
  return [
    row("", (one) => one.ms),
    row(", processor time of this process", (one) => one.cpuMs),
    row(", until its statements were answered", (one) => one.answeredMs),
    toRow({ bench: "loading", what: `loading ${what}`, unit: "statements", values: statements }),
  ];
}
