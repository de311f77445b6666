import { NativeConnection } from "@temporalio/worker";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listBuilds } from "../../src/store/builds.ts";
import { createWorkers, runWorkers } from "../../src/worker/create-workers.ts";
import { bundleWorkflows } from "../support/workflow-bundle.ts";
import { filesModule, listStandings } from "./support/module-files.ts";
import { openReconcileMesh, type ReconcileMesh } from "./support/reconcile-mesh.ts";
import { waitUntil } from "./support/wait-until.ts";

let flow: ReconcileMesh;
let stopSecond: () => Promise<void>;

/** As a second machine: it polls the same queues, and has slots of its own. */
async function startSecondMachine(): Promise<() => Promise<void>> {
  const connection = await NativeConnection.connect({ address: flow.config.temporal.address });
  const stop = new AbortController();
  const { code } = await bundleWorkflows();
  const { config, parts, lease } = flow;
  const workers = await createWorkers({
    config,
    parts,
    lease,
    connection,
    workflowBundle: code,
    onDeadEpoch: () => undefined,
  });
  const running = runWorkers(workers, stop.signal);
  return async () => {
    stop.abort();
    await running;
    await connection.close();
  };
}

beforeEach(async () => {
  flow = await openReconcileMesh({ buildSlots: 1 });
  stopSecond = await startSecondMachine();
});

afterEach(async () => {
  flow.gates.releaseAll();
  await stopSecond();
  await flow.close();
});

describe("two machines that build, with one slot each (R9)", () => {
  it("build two modules at once and never three, and each at its inputs once however many ask", async () => {
    const names = ["a", "b", "c", "d"];
    await flow.origin.commit(Object.assign({}, ...names.map((name) => filesModule(name, `text of ${name}`))));
    await flow.addModules(...names);
    for (const name of names) flow.gates.hold(name);
    const arrived = (): number => names.reduce((sum, name) => sum + flow.gates.arrivals(name), 0);
    for (let ask = 0; ask < 5; ask += 1) await flow.wake(`request ${ask}`);
    await waitUntil("both machines build", async () => arrived() === 2, 60_000);
    // Looks while both are at it begin nothing: there is no slot, and what runs is not begun again.
    await flow.wake("and once more");
    const underWay = async (): Promise<number> => {
      const builds = await Promise.all(names.map((name) => listBuilds(flow.db, flow.mesh, name, 9)));
      return builds.flat().filter((build) => build.state === "building").length;
    };
    expect(await underWay()).toBe(2);
    expect(arrived()).toBe(2);
    flow.gates.releaseAll();
    await flow.asleep();
    expect(await listStandings(flow)).toEqual(names.map((name) => `${name}: current`));
    for (const name of names) {
      const builds = await listBuilds(flow.db, flow.mesh, name, 9);
      expect(builds.map(({ state, attempts }) => ({ state, attempts }))).toEqual([{ state: "fit", attempts: 1 }]);
    }
  });
});
