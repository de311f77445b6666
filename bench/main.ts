import { parseArgs } from "node:util";
import { describeLoad, describeMachine, type ServerVersions } from "./report/machine.ts";
import type { Row } from "./report/row.ts";
import { formatTable } from "./report/table.ts";
import { benchAffected } from "./runs/affected.ts";
import { benchCommand } from "./runs/command.ts";
import { benchComparison } from "./runs/comparison.ts";
import { benchIdle } from "./runs/idle.ts";
import { benchImports } from "./runs/imports.ts";
import { benchLarge } from "./runs/large.ts";
import { benchLoading } from "./runs/loading.ts";
import { benchLooks } from "./runs/looks.ts";
import { benchPush } from "./runs/push.ts";
import { benchPush200 } from "./runs/push-200.ts";
import { benchStart } from "./runs/start.ts";
import { benchTell } from "./runs/tell.ts";
import { benchWave } from "./runs/wave.ts";
import { benchWebhook } from "./runs/webhook.ts";

/** What a benchmark is given: a way to say what it is doing, and where to leave the versions of its servers. */
export interface BenchContext {
  readonly say: (line: string) => void;
  readonly versions: ServerVersions;
}

const benches: Readonly<Record<string, (context: BenchContext) => Promise<Row[]>>> = {
  push: benchPush,
  "push-200": benchPush200,
  large: benchLarge,
  tell: benchTell,
  loading: benchLoading,
  looks: benchLooks,
  webhook: benchWebhook,
  wave: benchWave,
  idle: benchIdle,
  comparison: benchComparison,
  affected: benchAffected,
  imports: benchImports,
  command: benchCommand,
  start: benchStart,
};

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options: { json: { type: "boolean" } }, allowPositionals: true });
  const unknown = positionals.find((name) => !(name in benches));
  if (unknown !== undefined) throw new Error(`no benchmark ${unknown}; there are ${Object.keys(benches).join(", ")}`);
  const wanted = positionals.length === 0 ? Object.keys(benches) : positionals;
  const context: BenchContext = {
    say: (line) => process.stderr.write(`${line}\n`),
    versions: { postgresql: null, temporal: null },
  };
  const loadBefore = describeLoad();
  const rows: Row[] = [];
  for (const name of wanted) {
    context.say(`${name}: load ${describeLoad()}`);
    try {
      rows.push(...((await benches[name]?.(context)) ?? []));
    } catch (error) {
      // The others are measured all the same; what could not be measured is said, and is no number.
      process.exitCode = 2;
      context.say(`${name} could not be measured: ${error instanceof Error ? error.stack : String(error)}`);
    }
  }
  const machine = await describeMachine(context.versions, loadBefore);
  process.stdout.write(
    values.json === true ? `${JSON.stringify({ schema: 1, machine, rows }, null, 2)}\n` : formatTable(rows, machine),
  );
}

await main();
