import { setTimeout as sleep } from "node:timers/promises";
import { buildWorkflowId } from "../../src/decide/ids.ts";
import { listBuilds, type BuildRecord } from "../../src/store/builds.ts";
import { listWaves } from "../../src/store/waves.ts";
import type { BenchContext } from "../main.ts";
import { openBenchMesh, type BenchMesh } from "../mesh/bench-mesh.ts";
import { notesModule } from "../mesh/modules.ts";
import { postWebhook } from "../mesh/post-webhook.ts";
import { waitUntil } from "../mesh/wait-until.ts";
import { toRow, type Row } from "../report/row.ts";

const runs = 25;
const secret = "a webhook secret of the benchmark";
/** Two deliveries within a second are one look; a new one is to find the gateway at rest. */
const restMs = 1_500;

interface WebhookSample {
  /** Until the gateway had answered. */
  readonly answeredMs: number;
  /** Until a worker began the build's activity, as its history says. */
  readonly startedMs: number;
  /** Until the build had its verdict. */
  readonly judgedMs: number;
}

/** A commit is made, its webhook comes, and its build begins. The poll is set to an hour, so it is the webhook's doing. */
export async function benchWebhook(context: BenchContext): Promise<Row[]> {
  const mesh = await openBenchMesh(context, {
    name: "webhook",
    files: notesModule,
    settings: { pollIntervalMs: 3_600_000 },
    webhooks: { forge: { forge: "github", repository: "source", secrets: [secret] } },
  });
  try {
    const samples: WebhookSample[] = [];
    for (let run = 0; run <= runs; run += 1) samples.push(await deliver(mesh, run));
    return toRows(samples.slice(1));
  } finally {
    await mesh.close();
  }
}

async function deliver(mesh: BenchMesh, run: number): Promise<WebhookSample> {
  const text = notesModule["notes/mesh.yaml"].replace("first", `commit ${run}`);
  const commit = await mesh.source.commit({ "notes/mesh.yaml": text });
  const fromMs = Date.now();
  await postWebhook(mesh.connection, "forge", secret);
  const answeredMs = Date.now() - fromMs;
  const build = await waitUntil("a verdict on the commit", () => findJudged(mesh, commit), {
    everyMs: 25,
    withinMs: 60_000,
  });
  const startedMs = (await readActivityStart(mesh, build)) - fromMs;
  const judgedMs = Date.parse(build.endedAt ?? "") - fromMs;
  await waitUntil("the wave's end", () => findRest(mesh), { everyMs: 100, withinMs: 60_000 });
  await sleep(restMs);
  return { answeredMs, startedMs, judgedMs };
}

async function findJudged({ connection }: BenchMesh, commit: string): Promise<BuildRecord | null> {
  const [newest] = await listBuilds(connection.db, connection.mesh, "notes", 1);
  return newest?.commit === commit && newest.state !== "building" ? newest : null;
}

async function findRest({ connection }: BenchMesh): Promise<true | null> {
  const [newest] = await listWaves(connection.db, connection.mesh, 1);
  return newest?.endedAt == null ? null : true;
}

/** An activity's start is written into the history together with its end, a moment after the verdict is kept. */
function readActivityStart({ client, connection }: BenchMesh, build: BuildRecord): Promise<number> {
  const id = buildWorkflowId(connection.mesh, build.module, build.inputs);
  const ask = async (): Promise<number | null> => {
    const { events } = await client.workflow.getHandle(id).fetchHistory();
    const started = events?.find((event) => event.activityTaskStartedEventAttributes != null)?.eventTime;
    return started == null ? null : Number(started.seconds) * 1_000 + (started.nanos ?? 0) / 1e6;
  };
  return waitUntil(`an activity in ${id}`, ask, { everyMs: 50, withinMs: 20_000 });
}

function toRows(samples: readonly WebhookSample[]): Row[] {
  const shared = { bench: "webhook", unit: "ms" } as const;
  return [
    toRow({
      ...shared,
      what: "POST until the build's activity starts",
      values: samples.map((sample) => sample.startedMs),
      goal: { limit: 1_000, at: "p95", below: true },
      note: "a repository on this machine, one module; a look asks it for its tips and fetches the commit",
    }),
    toRow({ ...shared, what: "POST until it is answered", values: samples.map((sample) => sample.answeredMs) }),
    toRow({ ...shared, what: "POST until the verdict is kept", values: samples.map((sample) => sample.judgedMs) }),
  ];
}
