import { join } from "node:path";
import { pathToFileURL, fileURLToPath } from "node:url";
import { pino } from "pino";
import type { askDryRun as Ask } from "../../src/cli/ask-controller.ts";
import type { readServeConfig as Read } from "../../src/cli/serve-config.ts";
import type { openDatabase as Open } from "../../src/store/database.ts";
import type { watchAsks as Watch } from "../../src/worker/watch-asks.ts";

/**
 * What of a controller answers commands, of the built code: `answering-process.ts STATE`. Says `listens` when it does, and ends
 * with its standard input. It takes no lease, compares nothing and needs no Temporal.
 */
const dist = fileURLToPath(new URL("../../dist/", import.meta.url));
const load = (file: string): Promise<unknown> => import(pathToFileURL(join(dist, file)).href);
const { watchAsks } = (await load("worker/watch-asks.js")) as { watchAsks: typeof Watch };
const { openDatabase } = (await load("store/database.js")) as { openDatabase: typeof Open };
const { readServeConfig } = (await load("cli/serve-config.js")) as { readServeConfig: typeof Read };
const { askDryRun } = (await load("cli/ask-controller.js")) as { askDryRun: typeof Ask };

const [state = ""] = process.argv.slice(2);
const config = await readServeConfig(state);
const shared = { url: config.databaseUrl, applicationName: "mesh-bench-answers", statementTimeoutMs: 60_000 };
const db = openDatabase({ ...shared, maxConnections: 4 });
const readDb = openDatabase({ ...shared, maxConnections: 2, readOnly: true });
const watch = watchAsks({
  ...config,
  db,
  readDb,
  log: pino({ level: "warn" }, pino.destination(2)),
  nowMs: Date.now,
});
for (
  let asked = await askDryRun(state, question());
  asked.by === "nobody";
  asked = await askDryRun(state, question())
) {
  if (!/no controller listens/.test(asked.why)) throw new Error(asked.why);
  await new Promise((resolve) => setTimeout(resolve, 20));
}
process.stdout.write("listens\n");
process.stdin.resume();
process.stdin.once("close", () => {
  void watch.stop().then(() => Promise.all([db.end(), readDb.end()]));
});

function question(): { readonly names: readonly string[]; readonly document: string } {
  return { names: [], document: "mesh.build.v1" };
}
