import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { buildAgain } from "../../src/cli/build-again.ts";
import type { CommandCall, CommandResult } from "../../src/cli/command.ts";
import type { MeshConnection } from "../../src/cli/mesh-connection.ts";
import type { Digest } from "../../src/core/names.ts";
import { unpackArtifact } from "../../src/link/artifact/unpack.ts";
import { listDoubts } from "../../src/store/artifact-doubts.ts";
import { getArtifact } from "../../src/store/artifacts.ts";
import { getBuild, listBuilds } from "../../src/store/builds.ts";
import { listConditions } from "../../src/store/conditions.ts";
import { openDatabase } from "../../src/store/database.ts";
import type { Watch } from "../../src/worker/keep-looking.ts";
import { watchArtifacts } from "../../src/worker/watch-artifacts.ts";
import { watchSecondBuilds } from "../../src/worker/watch-second-builds.ts";
import { typescriptModule } from "../support/build-bed.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { filesModule, readModule } from "./support/module-files.ts";
import { openReconcileMesh, type ReconcileMesh } from "./support/reconcile-mesh.ts";
import { waitUntil } from "./support/wait-until.ts";

const timeout = 300_000;
const patienceMs = 120_000;
let flow: ReconcileMesh;
let watch: Watch | null = null;

beforeEach(async () => {
  flow = await openReconcileMesh();
});

afterEach(async () => {
  await watch?.stop();
  watch = null;
  await flow.close();
});

const core = typescriptModule("core", { "src/index.ts": "export const one: number = 1;\n" });
const app = (said: string): Record<string, string> =>
  typescriptModule("app", { "src/main.ts": `import { one } from "@test/core";\nconsole.log(one, "${said}");\n` });

function startWatch(): void {
  const { parts, mesh, config } = flow;
  watch = watchArtifacts({ ...parts, mesh, mayAct: () => true, random: () => 0.5, everyMs: 100, allEveryMs: 500 });
  flow.watch(config.pollIntervalMs / 10);
}

async function fileOf(
  module: string,
): Promise<{ readonly file: string; readonly digest: Digest; readonly blob: Digest }> {
  const { fitArtifact } = await readModule(flow, module);
  const record = await getArtifact(flow.db, flow.mesh, module, fitArtifact ?? "");
  if (record === null) throw new Error(`${module} was never fit`);
  const { digest, blob } = record.artifact;
  return { digest, blob, file: join(flow.artifacts.dir, "blobs", "sha256", blob.slice("sha256:".length)) };
}

/** As a host does with what the gateway gives it. */
async function fetchAsHost(blob: Digest, digest: Digest): Promise<void> {
  const into = join(await createTemporaryFolder(), "it");
  await unpackArtifact({ from: await flow.artifacts.openBlob(blob), into, digest });
}

async function again(name: string): Promise<CommandResult & { readonly said: string }> {
  let said = "";
  const call = {
    context: {
      stderr: { isTerminal: false, write: (text: string) => void (said += text) },
      listenForInterrupt: () => new AbortController().signal,
    },
  } as unknown as CommandCall;
  // With the rights of who types it.
  const db = openDatabase({
    url: flow.config.databaseUrl,
    role: "operator",
    maxConnections: 2,
    applicationName: "flow-operator",
    statementTimeoutMs: 20_000,
  });
  const connection = { db, mesh: flow.mesh } as MeshConnection;
  try {
    return { ...(await buildAgain(call, connection, { names: [name], timeoutMs: patienceMs })), said };
  } finally {
    await db.end();
  }
}

const isCurrent = (module: string) => async (): Promise<boolean> =>
  (await readModule(flow, module)).standing === "current";

const codes = async (): Promise<string[]> => (await listConditions(flow.db, flow.mesh)).map(({ code }) => code);

it(
  "an artifact that is lost is found so, built again by itself, and fetched again; nothing above it is built",
  { timeout },
  async () => {
    await flow.origin.commit({ ...core, ...app("a") });
    await flow.addModules("core", "app");
    await flow.look();
    const before = await fileOf("core");
    const { fitInputs } = await readModule(flow, "core");
    await rm(before.file);
    await expect(fetchAsHost(before.blob, before.digest)).rejects.toThrow(/not in the artifact store/);
    startWatch();
    await waitUntil(
      "it is built again",
      async () => {
        const build = await getBuild(flow.db, flow.mesh, "core", fitInputs ?? "");
        return build?.state === "fit" && build.attempts === 2;
      },
      patienceMs,
    );
    await waitUntil("its condition is closed", async () => !(await codes()).includes("artifact-lost"), patienceMs);
    await waitUntil(
      "both are current",
      async () => (await isCurrent("core")()) && (await isCurrent("app")()),
      patienceMs,
    );
    expect(await fileOf("core")).toEqual(before);
    await fetchAsHost(before.blob, before.digest);
    expect(await listBuilds(flow.db, flow.mesh, "app", 9)).toMatchObject([{ state: "fit", attempts: 1 }]);
    expect(await listDoubts(flow.db, flow.mesh)).toMatchObject([{ module: "core", state: "sound" }]);
  },
);

it(
  "one that is damaged is met by the next build against it, which waits, and is fit when it is mended",
  { timeout },
  async () => {
    await flow.origin.commit({ ...core, ...app("a") });
    await flow.addModules("core", "app");
    await flow.look();
    const { file, blob, digest } = await fileOf("core");
    const bytes = await readFile(file);
    bytes[700] = (bytes[700] ?? 0) ^ 1;
    await writeFile(file, bytes);
    const moved = await flow.origin.commit(app("b"));
    await flow.look();
    const [met] = await listBuilds(flow.db, flow.mesh, "app", 1);
    expect(met).toMatchObject({
      state: "outstanding",
      class: "artifact-store",
      message: expect.stringMatching(/of core is damaged: .*mesh build core --again/),
    });
    startWatch();
    await waitUntil(
      "app is fit at its newest commit",
      async () => {
        const module = await readModule(flow, "app");
        return module.standing === "current" && module.sourceCommit === moved;
      },
      patienceMs,
    );
    await fetchAsHost(blob, digest);
  },
);

it(
  "mesh build --again puts back what is damaged, and names the files of what comes out otherwise",
  { timeout },
  async () => {
    await flow.origin.commit(filesModule("core", "one"));
    await flow.addModules("core");
    await flow.look();
    const { file, blob, digest } = await fileOf("core");
    const bytes = await readFile(file);
    bytes[700] = (bytes[700] ?? 0) ^ 1;
    await writeFile(file, bytes);
    startWatch();
    const back = await again("core");
    expect(back).toMatchObject({
      code: 0,
      document: { again: [{ module: "core", artifact: digest, outcome: "back" }] },
    });
    expect(back.said).toMatch(/core: it is lost \(its bytes are .*\) and is built again\n/);
    await fetchAsHost(blob, digest);

    const { parts, mesh, config } = flow;
    const { lostAfterMs, folders } = config;
    const seconds = watchSecondBuilds({
      ...parts.look,
      ...parts,
      db: parts.builderDb,
      sandboxFor: parts.sandboxes.sandboxFor,
      folders: { work: folders.builds, cache: folders.cache },
      registries: {},
      limits: {},
      lostAfterMs,
      mayAct: () => true,
      random: () => 0.5,
      idleMs: 100,
    });
    try {
      expect(await again("core")).toMatchObject({ code: 0, document: { again: [{ outcome: "same" }] } });
      // As if the first build had given something else: the records name what it gave.
      const { fitInputs: before } = await readModule(flow, "core");
      await flow.origin.commit(filesModule("core", "two"));
      await waitUntil(
        "it is fit",
        async () => (await readModule(flow, "core")).fitInputs !== before && (await isCurrent("core")()),
        patienceMs,
      );
      const now = await readModule(flow, "core");
      await flow.db.query(`update build set artifact = $1 where mesh = $2 and inputs = $3`, [
        digest,
        mesh,
        now.fitInputs,
      ]);
      await flow.db.query(`update module set fit_artifact = $1 where mesh = $2 and name = 'core'`, [digest, mesh]);
      const differs = await again("core");
      expect(differs).toMatchObject({ code: 2, document: { again: [{ outcome: "differs" }] } });
      expect(differs.text).toMatch(/^ {2}page\.txt: /m);
      expect(await codes()).toContain("not-reproducible");
    } finally {
      await seconds.stop();
    }
  },
);
