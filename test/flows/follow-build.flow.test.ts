import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { connectionTo } from "../cli/command-bed.ts";
import { runMesh, type Ran } from "../cli/fake-context.ts";
import { typescriptModule } from "../support/build-bed.ts";
import { openReconcileMesh } from "./support/reconcile-mesh.ts";
import { waitUntil } from "./support/wait-until.ts";

const timeout = 240_000;
const failingTest = `import { test } from "node:test";\ntest("never", () => { throw new Error("not today"); });\n`;

it("mesh build --follow shows what a build prints while it runs, and ends with its verdict", { timeout }, async () => {
  const flow = await openReconcileMesh();
  onTestFinished(() => flow.close());
  const state = join(flow.config.folders.builds, "..");
  await writeFile(join(state, "mesh.json"), "{}");
  const { mesh, db } = flow;
  const connection = connectionTo({ state, mesh, db });
  const temporal = { ...flow.config.temporal, ui: null };
  const connected = { ...connection, setup: { ...connection.setup, temporal } };
  const run = (words: readonly string[], onOutput?: (text: string) => void): Promise<Ran> =>
    runMesh(words, {
      env: { MESH_STATE: state },
      openMesh: () => Promise.resolve(connected),
      ...(onOutput === undefined ? {} : { onOutput }),
    });
  await flow.origin.commit(typescriptModule("app", { "src/index.ts": "export {};\n" }));
  await flow.addModules("app");
  expect(await run(["build", "gone", "--follow"])).toMatchObject({ code: 2, stdout: "" });

  flow.gates.hold("app");
  // The command wakes the loop too: that it is awake is for this mesh to know when it closes.
  await flow.wake("a test asks");
  let seen = "";
  const following = run(["build", "app", "--follow", "--json"], (text) => {
    seen = text;
  });
  await waitUntil("it says what is compiled, without a verdict yet", async () => seen.includes("--- compile"), 90_000);
  expect(flow.gates.arrivals("app")).toBeLessThanOrEqual(1);
  expect(seen).not.toContain("mesh.build.v1");
  flow.gates.release("app");
  const ended = await following;
  expect(ended.code, ended.stderr).toBe(0);
  const documents = ended.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(new Set(documents.slice(0, -1).map((one) => one["schema"]))).toEqual(new Set(["mesh.build-log.v1"]));
  expect(documents.at(-1)).toMatchObject({
    schema: "mesh.build.v1",
    modules: [{ module: "app", standing: "current" }],
  });

  // What stood before says nothing of a commit that came a moment ago (R48).
  const next = await flow.origin.commit({ "app/src/index.ts": "export const next = 1;\n" });
  const asked = await run(["build", "app", "--json"]);
  expect(asked.code, asked.stdout).toBe(1);
  expect(JSON.parse(asked.stdout)).toMatchObject({ modules: [{ sourceCommit: next }], sources: [{ look: "seen" }] });

  await flow.origin.commit({ "app/src/index.test.ts": failingTest });
  const unfit = await run(["build", "app", "--follow"]);
  expect(unfit.code).toBe(2);
  expect(unfit.stderr).toMatch(/^ {2}app \| .*not today/m);
  expect(unfit.stdout).toMatch(/app.*unfit/);
  await flow.look();
});
