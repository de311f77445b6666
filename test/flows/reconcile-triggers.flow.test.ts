import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listBuilds } from "../../src/store/builds.ts";
import { filesModule, isFitAt, listStandings } from "./support/module-files.ts";
import { openReconcileMesh, type ReconcileMesh } from "./support/reconcile-mesh.ts";
import { waitUntil } from "./support/wait-until.ts";

let flow: ReconcileMesh;

beforeEach(async () => {
  flow = await openReconcileMesh();
});

afterEach(async () => {
  await flow.close();
});

describe("a change becomes a build", () => {
  it("without any webhook, within the poll interval (R7, case 3)", async () => {
    await flow.origin.commit(filesModule("app", "one"));
    await flow.addModules("app");
    flow.watch(200);
    await waitUntil("the first build", async () => (await listStandings(flow)).includes("app: current"));
    const second = await flow.origin.commit(filesModule("app", "two"));
    await waitUntil("the second build", () => isFitAt(flow, "app", second));
    expect(flow.wakes.filter((why) => why.includes(second.slice(0, 7)))).not.toEqual([]);
  });

  it("when its trigger lands while another build runs (R7, case 1)", async () => {
    await flow.origin.commit(filesModule("app", "one"));
    await flow.addModules("app");
    flow.gates.hold("app");
    await flow.wake("commit A");
    await waitUntil("A is being built", async () => flow.gates.arrivals("app") === 1);
    const second = await flow.origin.commit(filesModule("app", "two"));
    await flow.wake("commit B");
    flow.gates.release("app");
    await flow.asleep();
    expect(await isFitAt(flow, "app", second)).toBe(true);
    // What was started ran to its end: A has a verdict too (R16).
    expect((await listBuilds(flow.db, flow.mesh, "app", 9)).map((one) => one.state)).toEqual(["fit", "fit"]);
  });
});
