import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listBuilds } from "../../src/store/builds.ts";
import { listHeldCommits } from "../../src/store/held-sources.ts";
import { listModuleLabels } from "../../src/store/module-labels.ts";
import { listWaves } from "../../src/store/waves.ts";
import { typescriptModule } from "../support/build-bed.ts";
import { isFitAt, readModule } from "./support/module-files.ts";
import { openReconcileMesh, type ReconcileMesh } from "./support/reconcile-mesh.ts";
import { waitUntil } from "./support/wait-until.ts";

let flow: ReconcileMesh;

beforeEach(async () => {
  // Whoever waits at all is starved: what takes minutes otherwise is seen at once.
  flow = await openReconcileMesh({ starvedAfterMs: 1 });
});

afterEach(async () => {
  await flow.close();
});

const core = typescriptModule("core", { "src/index.ts": "export const one: number = 1;\n" });
const app = typescriptModule("app", { "src/main.ts": `import { one } from "@test/core";\nconsole.log(one);\n` });

describe("a library that moves again while what is built against it waits", { timeout: 300_000 }, () => {
  it("waits with its newer commit until that has its verdict, and no closure mixes two (R9, R16, case 6)", async () => {
    await flow.origin.commit({ ...core, ...app });
    await flow.addModules("core", "app");
    await flow.look();
    flow.gates.hold("core");
    const second = await flow.origin.commit({ "core/src/index.ts": "export const one: number = 2;\n" });
    await flow.wake("core moves");
    await waitUntil("core is being built", async () => flow.gates.arrivals("core") === 2, 100_000);
    const third = await flow.origin.commit({ "core/src/index.ts": "export const one: number = 3;\n" });
    await flow.wake("core moves again");
    await waitUntil(
      "the newer commit is held back",
      async () => [...(await listHeldCommits(flow.db, flow.mesh)).values()].includes(third),
      100_000,
    );
    expect((await readModule(flow, "core")).sourceCommit).toBe(second);
    expect(await listModuleLabels(flow.db, flow.mesh)).toContainEqual(
      expect.objectContaining({ module: "core", heldCommit: third, heldFor: "app" }),
    );
    flow.gates.releaseAll();
    await flow.asleep();
    expect([await isFitAt(flow, "core", third), await isFitAt(flow, "app", third)]).toEqual([true, true]);
    expect(await listHeldCommits(flow.db, flow.mesh)).toEqual(new Map());
    // app has a verdict about each core that was built, in that order.
    const cores = (await listBuilds(flow.db, flow.mesh, "core", 9)).map((build) => build.artifact);
    const against = (await listBuilds(flow.db, flow.mesh, "app", 9)).map((build) => build.closure.dependencies["core"]);
    expect(against).toEqual(cores);
    expect(cores).toHaveLength(3);
    const [wave] = await listWaves(flow.db, flow.mesh, 1);
    expect(Object.keys(wave?.accounted ?? {}).toSorted()).toEqual(wave?.announced.toSorted());
  });
});

describe("a commit that changes a library and its caller while the library is held", { timeout: 300_000 }, () => {
  it("is judged as a whole: the caller never against the library of before (R11, R16, case 5)", async () => {
    const lib = typescriptModule("lib", { "src/index.ts": "export const two: number = 2;\n" });
    const caller = (type: string) =>
      typescriptModule("caller", {
        "src/main.ts": `import { one } from "@test/core";\nconst same: ${type} = one;\nconsole.log(same);\n`,
      });
    const both = {
      "app/src/main.ts": `import { one } from "@test/core";\nimport { two } from "@test/lib";\nconsole.log(one, two);\n`,
    };
    await flow.origin.commit({ ...core, ...app, ...lib, ...both, ...caller("number") });
    await flow.addModules("core", "lib", "app", "caller");
    await flow.look();
    flow.gates.hold("lib");
    await flow.origin.commit({ "lib/src/index.ts": "export const two: number = 22;\n" });
    await flow.wake("lib moves");
    await waitUntil("lib is being built", async () => flow.gates.arrivals("lib") === 2, 100_000);
    const third = await flow.origin.commit({
      "core/src/index.ts": 'export const one: string = "1";\n',
      ...caller("string"),
    });
    await flow.wake("core moves with its caller");
    await waitUntil(
      "both wait",
      async () => [...(await listHeldCommits(flow.db, flow.mesh)).keys()].toSorted().join() === "caller,core",
      100_000,
    );
    flow.gates.releaseAll();
    await flow.asleep();
    expect([await isFitAt(flow, "core", third), await isFitAt(flow, "caller", third)]).toEqual([true, true]);
    const verdicts = (await listBuilds(flow.db, flow.mesh, "caller", 9)).map(({ state }) => state);
    expect(verdicts).toEqual(["fit", "fit"]);
  });
});

describe("a commit that needs its library's next version and arrives first", { timeout: 300_000 }, () => {
  it("is outstanding and waits for it, and is fit when that came (R11)", async () => {
    await flow.origin.commit({ ...core, ...app });
    await flow.addModules("core", "app");
    await flow.look();
    await flow.origin.commit({ "app/src/main.ts": `import { two } from "@test/core";\nconsole.log(two);\n` });
    await flow.look();
    const waiting = await readModule(flow, "app");
    expect(waiting.standing).toBe("outstanding");
    expect(waiting.standingWhy).toContain("waiting for the next version of core");
    const both = await flow.origin.commit({
      "core/src/index.ts": "export const one: number = 1;\nexport const two: number = 2;\n",
    });
    await flow.look();
    expect([await isFitAt(flow, "core", both), await isFitAt(flow, "app", both)]).toEqual([true, true]);
  });
});
