import { listWaves } from "../../src/store/waves.ts";
import type { BenchContext } from "../main.ts";
import { openBenchMesh, type BenchMesh } from "../mesh/bench-mesh.ts";
import { openPeerWorkspace, type PeerRun } from "../mesh/peer-workspace.ts";
import { waitUntil } from "../mesh/wait-until.ts";
import { coreText, makeWaveModules } from "../mesh/wave-modules.ts";
import { toRow, type Row } from "../report/row.ts";

/** Fewer on a machine that is not free: MESH_BENCH_MODULES=20. */
const modules = Number(process.env["MESH_BENCH_MODULES"] ?? 200);

interface Wave {
  readonly ms: number;
  readonly built: number;
}

/**
 * A commit to the library that all others are built against, without effect (a comment) and with one, until every module
 * has its verdict; and the same change for the peers, which run the same compiler by a script of each package. Ours also
 * tests, packs, signs and keeps what it built, in a sandbox; theirs only compile.
 */
export async function benchWave(context: BenchContext): Promise<Row[]> {
  const peers = await measurePeers(context);
  const mesh = await openBenchMesh(context, {
    name: "wave",
    files: makeWaveModules(modules),
    settings: { starvedAfterMs: 3_600_000 },
  });
  try {
    context.say("wave: touching the library without effect");
    const without = await runWave(mesh, coreText("the second", 1));
    context.say("wave: touching the library with effect");
    const withEffect = await runWave(mesh, coreText("the third", 2));
    return [
      ...toRows("without effect", without, peers.without),
      ...toRows("with effect", withEffect, peers.withEffect),
      row(`a module, with effect, over the bare commands`, "ms", {
        values: [(withEffect.ms - peers.withEffect.bare.ms) / modules],
        note: "sandbox, tests, packing, provenance, records and workflow; two builds at a time here too",
      }),
    ];
  } finally {
    await mesh.close();
  }
}

type Peers = Readonly<Record<"turbo" | "nx" | "bare", PeerRun>>;

async function measurePeers(context: BenchContext): Promise<{ without: Peers; withEffect: Peers }> {
  context.say(`wave: installing the peers for ${modules} packages`);
  const workspace = await openPeerWorkspace(modules);
  try {
    // Each tool's cache is warm: only what the touch makes out of date runs.
    await workspace.runTurbo();
    await workspace.runNx();
    const runAll = async (): Promise<Peers> => ({
      turbo: await workspace.runTurbo(),
      nx: await workspace.runNx(),
      bare: await workspace.runBare(),
    });
    await workspace.touchCore("the second", 1);
    context.say("wave: peers, without effect");
    const without = await runAll();
    await workspace.touchCore("the third", 2);
    context.say("wave: peers, with effect");
    return { without, withEffect: await runAll() };
  } finally {
    await workspace.close();
  }
}

async function runWave(mesh: BenchMesh, text: string): Promise<Wave> {
  const { db, mesh: name } = mesh.connection;
  const before = (await listWaves(db, name, 1))[0]?.id;
  await mesh.source.commit({ "core/src/index.ts": text });
  const from = performance.now();
  await mesh.controller.wakeReconcile({ mesh: name, why: "bench" });
  const wave = await waitUntil(
    "the wave's end",
    async () => {
      const [newest] = await listWaves(db, name, 1);
      return newest !== undefined && newest.id !== before && newest.endedAt !== null ? newest : null;
    },
    { everyMs: 50, withinMs: 1_800_000 },
  );
  const outcomes = Object.values(wave.accounted).map((accounted) => accounted.outcome);
  if (outcomes.length !== modules) throw new Error(`${outcomes.length} of ${modules} were accounted for`);
  const built = outcomes.filter((outcome) => outcome === "built").length;
  if (outcomes.some((outcome) => outcome !== "built" && outcome !== "cut-off"))
    throw new Error(`not everything was built or cut off: ${wave.reason}`);
  return { ms: performance.now() - from, built };
}

function toRows(what: string, ours: Wave, peers: Peers): Row[] {
  return [
    row(`library of ${modules} touched ${what}`, "ms", { values: [ours.ms], note: `${ours.built} built` }),
    ...(["turbo", "nx", "bare"] as const).map((tool) =>
      row(`${tool}, library of ${modules} touched ${what}`, "ms", {
        values: [peers[tool].ms],
        against: { words: "ours", p50: ours.ms },
        note: `${peers[tool].scripts} scripts ran`,
      }),
    ),
  ];
}

function row(
  what: string,
  unit: Row["unit"],
  more: Pick<Parameters<typeof toRow>[0], "values" | "against" | "note">,
): Row {
  return toRow({ bench: "wave", what, unit, ...more });
}
