import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isGrpcServiceError } from "@temporalio/client";
import { WorkflowNotFoundError } from "@temporalio/common";
import { expect, it, onTestFinished } from "vitest";
import { buildWorkflowId, reconcileWorkflowId } from "../../src/decide/ids.ts";
import { getBuild, listBuilds } from "../../src/store/builds.ts";
import { listBuildLog } from "../../src/store/build-log.ts";
import { typescriptModule } from "../support/build-bed.ts";
import type { BuildWorkerConfig } from "./support/build-worker.ts";
import { readModule } from "./support/module-files.ts";
import { openReconcileMesh, type ReconcileMesh } from "./support/reconcile-mesh.ts";
import { waitUntil } from "./support/wait-until.ts";

const timeout = 240_000;
const script = fileURLToPath(new URL("support/build-worker.ts", import.meta.url));
const loader = new URL("../../node_modules/tsx/dist/loader.mjs", import.meta.url).href;

async function startWorker(flow: ReconcileMesh): Promise<ChildProcess> {
  const { mesh, databaseUrl, folders, temporal, lostAfterMs } = flow.config;
  const config: BuildWorkerConfig = {
    mesh,
    databaseUrl,
    temporalAddress: temporal.address,
    folders,
    lostAfterMs,
  };
  const file = join(dirname(folders.builds), "worker.json");
  await writeFile(file, JSON.stringify(config));
  // As a loader and not as a program of its own: the pid is the worker's.
  const child = spawn(process.execPath, ["--import", loader, script, file], {
    stdio: "inherit",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function isRunning(mark: string): Promise<boolean> {
  for (const pid of await readdir("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    const text = await readFile(`/proc/${pid}/cmdline`, "utf8").catch((error: unknown) => String(error));
    if (text.includes(mark)) return true;
  }
  return false;
}

it(
  "a worker that is killed in the middle of a build loses it; the next takes it over by itself (R11, case 42)",
  { timeout },
  async () => {
    const flow = await openReconcileMesh({}, { builds: "elsewhere" });
    onTestFinished(() => flow.close());
    const mark = `mark-${Math.random()}`;
    // Long enough to be killed in, and not for ever: what takes it over must come to its end.
    const slow = `import { test } from "node:test";\nimport { spawnSync } from "node:child_process";\ntest("slow", () => { console.log("begun"); spawnSync("/bin/sh", ["-c", "sleep 8; true", "${mark}"]); });\n`;
    await flow.origin.commit(typescriptModule("app", { "src/index.ts": "export {};\n", "src/index.test.ts": slow }));
    await flow.addModules("app");
    const first = await startWorker(flow);
    await flow.wake("a test asks");
    await waitUntil("its tests run", () => isRunning(mark), 90_000);
    await waitUntil("its log says so", async () => {
      const parts = await listBuildLog(flow.db, flow.mesh, { modules: ["app"], after: "2000-01-01T00:00:00.000Z" });
      return parts.some((part) => part.text.includes("--- compile"));
    });

    first.kill("SIGKILL");
    await once(first, "exit");
    await waitUntil("nothing of the build is left", async () => !(await isRunning(mark)));
    const [lost] = await listBuilds(flow.db, flow.mesh, "app", 1);
    expect(lost).toMatchObject({ state: "building", attempts: 1 });

    await startWorker(flow);
    await waitUntil("it is fit", async () => (await readModule(flow, "app")).standing === "current", 120_000);
    expect(await getBuild(flow.db, flow.mesh, "app", lost?.inputs ?? "")).toMatchObject({ state: "fit", attempts: 2 });
  },
);

/** As if Temporal had lost its disk, for these workflows. */
async function forget({ client }: ReconcileMesh, workflowId: string): Promise<void> {
  try {
    await client.workflow.getHandle(workflowId).terminate("a test takes its record away");
  } catch (error) {
    // A build ends with the loop that began it.
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
  // Deleting is asked for and done later, and of one that has only just ended it may be forgotten: asked until it is so.
  const isUnknown = async (): Promise<boolean> => {
    try {
      await client.workflow.getHandle(workflowId).describe();
      await client.workflowService.deleteWorkflowExecution({
        namespace: "default",
        workflowExecution: { workflowId },
      });
      return false;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError || isNotFound(error)) return true;
      throw error;
    }
  };
  await waitUntil(`${workflowId} is not known any more`, isUnknown, 90_000);
}

function isNotFound(error: unknown): boolean {
  if (!isGrpcServiceError(error)) return false;
  const code: number = error.code;
  return code === 5;
}

it(
  "a build whose worker is dead and of which Temporal knows nothing is outstanding (lost-worker), and built again by itself (R11, R50)",
  { timeout },
  async () => {
    const flow = await openReconcileMesh({ lostAfterMs: 20_000 }, { builds: "elsewhere" });
    onTestFinished(() => flow.close());
    const mark = `mark-${Math.random()}`;
    const slow = `import { test } from "node:test";\nimport { spawnSync } from "node:child_process";\ntest("slow", () => { spawnSync("/bin/sh", ["-c", "sleep 8; true", "${mark}"]); });\n`;
    await flow.origin.commit(typescriptModule("app", { "src/index.ts": "export {};\n", "src/index.test.ts": slow }));
    await flow.addModules("app");
    const first = await startWorker(flow);
    await flow.wake("a test asks");
    await waitUntil("its tests run", () => isRunning(mark), 90_000);
    first.kill("SIGKILL");
    await once(first, "exit");
    const [begun] = await listBuilds(flow.db, flow.mesh, "app", 1);
    const inputs = begun?.inputs ?? "";
    expect(begun).toMatchObject({ state: "building", attempts: 1 });
    await forget(flow, reconcileWorkflowId(flow.mesh));
    await forget(flow, buildWorkflowId(flow.mesh, "app", inputs));

    // Nobody does anything: the controller's own watch asks what became of it.
    flow.watch(300);
    const read = () => getBuild(flow.db, flow.mesh, "app", inputs);
    await waitUntil("it is said to be lost", async () => (await read())?.state === "outstanding", 90_000);
    expect(await read()).toMatchObject({
      class: "lost-worker",
      message: expect.stringMatching(/^the worker that built it \(build\/.*\) was not heard of since /),
    });
    expect(flow.wakes.some((why) => why.includes("builds without a verdict: app"))).toBe(true);
    await startWorker(flow);
    await waitUntil("it is fit", async () => (await readModule(flow, "app")).standing === "current", 120_000);
    expect(await read()).toMatchObject({ state: "fit", attempts: 2 });
  },
);
