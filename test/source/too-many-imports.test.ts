import { describe, expect, it } from "vitest";
import { boundImports, createModuleBounds } from "../../src/source/imports/bound-imports.ts";
import { typescriptModule } from "../support/build-bed.ts";
import { createSourceBed } from "./support/source-bed.ts";

const timeout = 60_000;
const well = { ...typescriptModule("core", { "src/index.ts": "export const one = 1;\n" }) };

describe("a module of more imports than anybody writes is broken alone (case 54, R4)", () => {
  it("where one file of it has a hundred thousand bad ones", { timeout }, async () => {
    const bed = await createSourceBed();
    await bed.origin("code").commit({
      ...well,
      ...typescriptModule("evil", { "src/a.ts": `import "@test/core";${`import"../../x";`.repeat(130_000)}` }),
    });
    const { evil, core } = await bed.facts(["core", "evil"]);
    expect(evil?.problem).toMatchObject({
      stage: "import",
      message: "src/a.ts: has more than 10000 imports, so not all of them are known: split the file",
    });
    // What was read still counts, and no more of its faults are shown than of any other.
    expect(evil?.edges.map(({ dependency }) => dependency)).toEqual(["core"]);
    expect(evil?.findings.length).toBeLessThanOrEqual(200);
    expect(core).toMatchObject({ problem: null, findings: [] });
  });

  it("where one file of it has a hundred thousand that cannot be known", { timeout }, async () => {
    const bed = await createSourceBed();
    await bed
      .origin("code")
      .commit({ ...well, ...typescriptModule("evil", { "src/a.ts": "import(x);".repeat(100_000) }) });
    const { evil, core } = await bed.facts(["core", "evil"]);
    expect(evil?.problem?.message).toMatch(/^src\/a\.ts: has more than 10000 faults and imports that cannot be known/);
    expect(core).toMatchObject({ problem: null, findings: [] });
  });

  it("where its files have too many together, though one that is well has the same file", { timeout }, async () => {
    const bed = await createSourceBed();
    const text = `import "@test/core";${`import"./x.js";`.repeat(9_000)}`;
    const files = Array.from({ length: 50 }, (_, at) => [`src/f${at}.ts`, text] as const);
    await bed.origin("code").commit({
      ...well,
      ...typescriptModule("evil", Object.fromEntries(files)),
      ...typescriptModule("same", { "src/a.ts": text }),
    });
    const { evil, same, core } = await bed.facts(["core", "evil", "same"]);
    expect(evil?.problem?.message).toMatch(/^\.: more than 400000 imports, .* make several modules of it$/);
    expect(evil?.edges).toEqual([]);
    expect(same?.problem).toBeNull();
    expect(same?.edges.map(({ dependency }) => dependency)).toEqual(["core"]);
    expect(core).toMatchObject({ problem: null, findings: [] });
  });
});

describe("what is counted of imports (case 54)", () => {
  const imports = (count: number) =>
    Array.from({ length: count }, () => ({ specifier: "a", kind: "static" as const, line: 1 }));

  it("a file at the limit is left as it is", () => {
    const read = { imports: imports(10_000), findings: [] };
    expect(boundImports(read)).toBe(read);
  });

  it("bytes that a module within its limit has are read, whoever else has them; others are not", () => {
    const bounds = createModuleBounds();
    const [evil, both] = [
      new Map([["evil", 1]]),
      new Map([
        ["evil", 1],
        ["well", 1],
      ]),
    ];
    for (let count = 0; count <= 400_000; count += 10_000) {
      expect(bounds.isNobodys(evil)).toBe(false);
      bounds.add(evil, { imports: imports(10_000), findings: [] });
    }
    expect([...bounds.past.keys()]).toEqual(["evil"]);
    expect([bounds.isNobodys(evil), bounds.isNobodys(both)]).toEqual([true, false]);
  });
});
