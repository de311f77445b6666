import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Condition } from "../../src/core/condition.ts";
import { getArtifact } from "../../src/store/artifacts.ts";
import { listConditions } from "../../src/store/conditions.ts";
import { connectionTo } from "../cli/command-bed.ts";
import { type Ran, runMesh } from "../cli/fake-context.ts";
import { typescriptModule } from "../support/build-bed.ts";
import { readModule } from "./support/module-files.ts";
import { openReconcileMesh, type ReconcileMesh } from "./support/reconcile-mesh.ts";
import { waitUntil } from "./support/wait-until.ts";

const timeout = 240_000;
const core = typescriptModule("core", { "src/index.ts": "export const one: number = 1;\n" });
const app = typescriptModule("app", { "src/main.ts": `import { one } from "@test/core";\nconsole.log(one);\n` });
const failingTest = `import { test } from "node:test";\ntest("never", () => { throw new Error("not today"); });\n`;

let flow: ReconcileMesh;

beforeEach(async () => {
  flow = await openReconcileMesh();
  await writeFile(join(flow.config.folders.builds, "..", "mesh.json"), "{}");
});

afterEach(async () => {
  await flow.close();
});

/** What is said about this module, and what `mesh status` shows of it. */
async function readCondition(code: string, subject: string): Promise<{ said: Condition | undefined; status: Ran }> {
  const said = (await listConditions(flow.db, flow.mesh)).find((one) => one.code === code && one.subject === subject);
  const { db, mesh } = flow;
  const state = join(flow.config.folders.builds, "..");
  const openMesh = (): Promise<ReturnType<typeof connectionTo>> => Promise.resolve(connectionTo({ state, mesh, db }));
  return { said, status: await runMesh(["status"], { env: { MESH_STATE: state }, openMesh }) };
}

/** The pause before the next try is over: how long it is, is told elsewhere. */
async function endPause(): Promise<void> {
  await flow.db.query(`update build set next_try_at = now() where mesh = $1 and state = 'outstanding'`, [flow.mesh]);
}

describe("a module that cannot be judged (R33)", () => {
  it(
    "is a condition at the third failure of a kind, shown by status, and gone when it is cured",
    { timeout },
    async () => {
      await flow.origin.commit({ ...core, ...app });
      await flow.addModules("core");
      await flow.look();
      const { fitArtifact } = await readModule(flow, "core");
      const found = await getArtifact(flow.db, flow.mesh, "core", fitArtifact ?? "");
      const blob = join(flow.artifacts.dir, "blobs", "sha256", (found?.artifact.blob ?? "").slice("sha256:".length));
      await rename(blob, `${blob}.away`);
      await flow.addModules("app");
      for (const failures of [1, 2, 3, 4]) {
        await flow.look();
        expect((await readModule(flow, "app")).standing).toBe("outstanding");
        const { said, status } = await readCondition("build-outstanding", "app");
        if (failures < 3) {
          expect(said, `after ${failures}`).toBeUndefined();
          expect(status.stdout).not.toContain("build-outstanding");
        } else {
          expect(said, `after ${failures}`).toMatchObject({ count: failures, urgent: false });
          expect(said?.message).toContain(`app could not be judged ${failures} times in a row`);
          expect(said?.message).toContain("is not in the artifact store");
          expect(said?.remedy).toMatch(/disk is whole and mounted.*tried again by itself/);
          expect(status.stdout).toContain(`app could not be judged ${failures} times in a row`);
          expect(status.stdout).toContain("see that the artifact store's disk is whole");
        }
        await endPause();
      }
      await rename(`${blob}.away`, blob);
      flow.watch(300);
      await waitUntil("it is fit", async () => (await readModule(flow, "app")).standing === "current", 60_000);
      await flow.asleep();
      const { said, status } = await readCondition("build-outstanding", "app");
      expect(said).toBeUndefined();
      expect(status.stdout).not.toContain("could not be judged");
    },
  );
});

describe("a module that is unfit (R33)", () => {
  it("is a condition at the third source in a row, and a commit that mends it ends it", { timeout }, async () => {
    for (const failures of [1, 2, 3]) {
      await flow.origin.commit({
        ...core,
        "core/src/index.test.ts": failingTest,
        "core/src/index.ts": `export const one: number = ${failures};\n`,
      });
      if (failures === 1) await flow.addModules("core");
      await flow.look();
      expect((await readModule(flow, "core")).standing).toBe("unfit");
      const { said, status } = await readCondition("build-unfit", "core");
      if (failures < 3) expect(said, `after ${failures}`).toBeUndefined();
      else {
        expect(said).toMatchObject({ count: 3, urgent: false });
        expect(said?.message).toMatch(/core is unfit at 3 sources in a row, now at [0-9a-f]{7}: /);
        expect(said?.remedy).toMatch(/see mesh why core; a commit mends it/);
        expect(status.stdout).toContain("core is unfit at 3 sources in a row");
      }
    }
    await flow.origin.commit({ "core/src/index.test.ts": null });
    await flow.look();
    expect((await readModule(flow, "core")).standing).toBe("current");
    expect((await readCondition("build-unfit", "core")).said).toBeUndefined();
  });
});
