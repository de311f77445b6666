import { expect, it, onTestFinished } from "vitest";
import { buildWorkflowId } from "../../src/decide/ids.ts";
import { listBuildLog } from "../../src/store/build-log.ts";
import { listBuilds } from "../../src/store/builds.ts";
import { listBuildsUnderWay } from "../../src/store/builds-under-way.ts";
import { typescriptModule } from "../support/build-bed.ts";
import { readModule } from "./support/module-files.ts";
import { openReconcileMesh } from "./support/reconcile-mesh.ts";
import { waitUntil } from "./support/wait-until.ts";

it(
  "a build that a person cancels in Temporal is not said to be built any more once it has ended: it is outstanding (R11, R31)",
  { timeout: 240_000 },
  async () => {
    // What is lost is no part of this: nobody but the build itself says that it has ended.
    const flow = await openReconcileMesh({ lostAfterMs: 3_600_000 });
    onTestFinished(() => flow.close());
    const slow = `import { test } from "node:test";\ntest("slow", () => new Promise((end) => setTimeout(end, 120_000)));\n`;
    await flow.origin.commit(typescriptModule("app", { "src/index.ts": "export {};\n", "src/index.test.ts": slow }));
    await flow.addModules("app");
    await flow.wake("a test asks");
    const read = async () => (await listBuilds(flow.db, flow.mesh, "app", 1))[0];
    await waitUntil(
      "it is tested",
      async () => {
        const parts = await listBuildLog(flow.db, flow.mesh, { modules: ["app"], after: "2000-01-01T00:00:00.000Z" });
        return parts.some((part) => part.text.includes("--- test"));
      },
      90_000,
    );
    const inputs = (await read())?.inputs ?? "";
    await flow.client.workflow.getHandle(buildWorkflowId(flow.mesh, "app", inputs)).cancel();

    await waitUntil("it is outstanding", async () => (await read())?.state === "outstanding", 60_000);
    expect(await read()).toMatchObject({
      class: "lost-worker",
      attempts: 1,
      message: "its build was cancelled, or ended, in Temporal before it had a verdict",
    });
    const at = { now: new Date().toISOString(), lostAfterMs: flow.config.lostAfterMs };
    expect(await listBuildsUnderWay(flow.db, flow.mesh, at)).toEqual(new Map());
    // The plan that noted the failed step was made before its worker heard of it: the watch has another one made.
    flow.watch(300);
    await waitUntil("so it stands", async () => (await readModule(flow, "app")).standing === "outstanding", 60_000);
    expect((await read())?.attempts).toBe(1);
  },
);
