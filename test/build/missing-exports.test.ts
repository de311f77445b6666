import { describe, expect, it } from "vitest";
import { findLacking } from "../../src/build/builders/missing-exports.ts";
import { createBuildBed, typescriptModule } from "../support/build-bed.ts";

const packages = new Map([["@test/core", "core"]]);

describe("what a dependency lacks, from the compiler's words", () => {
  it.each([
    `src/main.ts(1,10): error TS2305: Module '"@test/core"' has no exported member 'two'.`,
    `src/main.ts(1,10): error TS2724: '"@test/core"' has no exported member named 'twoo'. Did you mean 'two'?`,
    `src/main.ts(1,10): error TS2614: Module '"@test/core"' has no exported member 'two'. Did you mean to use 'import two from "@test/core"' instead?`,
    `src/main.ts(1,21): error TS2307: Cannot find module '@test/core/names' or its corresponding type declarations.`,
  ])("%s", (line) => {
    expect(findLacking(`${line}\n`, packages)).toEqual(["core"]);
    expect(
      findLacking(`${line}\nsrc/main.ts(2,1): error TS2322: Type 'string' is not assignable.\n`, packages),
    ).toEqual([]);
    expect(findLacking(`${line}\n`.replaceAll("@test/core", "zod"), packages)).toEqual([]);
    expect(findLacking(`${line}\n`.replaceAll("@test/core", "./own"), packages)).toEqual([]);
  });

  it("is what the compiler of this product prints", { timeout: 120_000 }, async () => {
    const bed = await createBuildBed();
    await bed.origin.commit({
      ...typescriptModule("core", { "src/index.ts": "export const one: number = 1;\n" }),
      ...typescriptModule("app", { "src/main.ts": `import { two } from "@test/core";\nconsole.log(two);\n` }),
    });
    const core = await bed.buildFit("core");
    const built = await bed.build("app", { dependencies: [{ module: "core", kind: "build", artifact: core }] });
    expect(built).toMatchObject({ verdict: { verdict: "unfit", stage: "compile" }, lacks: ["core"] });
  });
});
