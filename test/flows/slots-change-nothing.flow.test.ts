import { expect, it } from "vitest";
import { listModules } from "../../src/store/modules.ts";
import { typescriptModule } from "../support/build-bed.ts";
import { filesModule } from "./support/module-files.ts";
import { openReconcileMesh } from "./support/reconcile-mesh.ts";
import { waitUntil } from "./support/wait-until.ts";

/** Two layers and a half: some can be built beside each other, some only after another one. */
const names = ["core", "text", "app", "page", "top", "static"];
const files = {
  ...typescriptModule("core", { "src/index.ts": "export const one: number = 1;\n" }),
  ...typescriptModule("text", { "src/index.ts": "export const two: string = `two`;\n" }),
  ...typescriptModule("app", { "src/index.ts": `import { one } from "@test/core";\nexport const a = one;\n` }),
  ...typescriptModule("page", { "src/index.ts": `import { two } from "@test/text";\nexport const b = two;\n` }),
  ...typescriptModule("top", {
    "src/main.ts": `import { a } from "@test/app";\nimport { b } from "@test/page";\nconsole.log(a, b);\n`,
  }),
  ...filesModule("static", "a page"),
};

/** Inputs and artifact of each module, as a mesh of its own builds them with so many slots, registered in this order. */
async function buildAll(buildSlots: number, order: readonly string[]): Promise<Record<string, unknown>> {
  const flow = await openReconcileMesh({ buildSlots });
  try {
    await flow.origin.commit(files);
    await flow.addModules(...order);
    await flow.wake("a test");
    const read = () => listModules(flow.db, flow.mesh);
    await waitUntil("all are fit", async () => (await read()).every(({ standing }) => standing === "current"), 240_000);
    return Object.fromEntries(
      (await read()).map(({ name, fitInputs, fitArtifact }) => [name, { fitInputs, fitArtifact }]),
    );
  } finally {
    await flow.close();
  }
}

it("one slot or four, in whatever order: the same inputs and the same artifacts, byte by byte", async () => {
  const one = await buildAll(1, names);
  const four = await buildAll(4, names.toReversed());
  expect(Object.keys(one).toSorted()).toEqual(names.toSorted());
  for (const built of Object.values(one))
    expect(built).toMatchObject({ fitArtifact: expect.stringMatching(/^sha256:/) });
  expect(four).toEqual(one);
});
