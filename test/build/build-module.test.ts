import { execFile } from "node:child_process";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSandbox } from "../../src/build/open-sandbox.ts";
import type { Sandbox } from "../../src/build/sandbox.ts";
import type { Artifact } from "../../src/core/artifact.ts";
import { type BuildBed, createBuildBed, typescriptModule } from "../support/build-bed.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { listPaths, unpack } from "../support/unpacked-artifact.ts";

const run = promisify(execFile);
const timeout = 90_000;

const passing = `import { test } from "node:test";\nimport assert from "node:assert/strict";\nimport { one } from "./index.ts";\ntest("one is one", () => assert.equal(one, 1));\n`;
const core = typescriptModule("core", {
  "src/index.ts": "export const one: number = 1;\n",
  "src/index.test.ts": passing,
});

describe("a fit module", () => {
  it("is compiled, tested, and packed without its tests, sources and documents (R11)", { timeout }, async () => {
    const bed = await createBuildBed();
    await bed.origin.commit({
      ...core,
      "core/README.md": "about",
      "core/assets/page.html": "<p>",
      "core/src/query.sql": "select 1",
    });
    const steps = new Set<string>();
    const artifact = await bed.buildFit("core", { onProgress: (step) => steps.add(step) });
    expect(await listPaths(await unpack(bed, artifact))).toEqual([
      "assets/page.html",
      "dist/index.d.ts",
      "dist/index.js",
      "dist/query.sql",
      "mesh.yaml",
      "package.json",
    ]);
    expect([...steps]).toEqual(["fetch", "compile", "test", "pack"]);
  });

  it("is built against exactly the artifact its closure names, and runs with it (R5)", { timeout }, async () => {
    const bed = await createBuildBed();
    const main = `import { one } from "@test/core";\nexport const two: number = one + one;\nconsole.log(two);\n`;
    await bed.origin.commit({ ...core, ...typescriptModule("app", { "src/main.ts": main }) });
    const dependency = { module: "core", kind: "build" as const, artifact: await bed.buildFit("core") };
    const artifact = await bed.buildFit("app", { dependencies: [dependency] });
    const folder = await unpack(bed, artifact);
    expect(await listPaths(folder)).toContain("node_modules/@test/core/dist/index.js");
    expect((await run(process.execPath, ["dist/main.js"], { cwd: folder })).stdout).toBe("2\n");
  });

  it("leaves what only tests import out of its artifact", { timeout }, async () => {
    const bed = await createBuildBed();
    const test = `import { test } from "node:test";\nimport { one } from "@test/core";\ntest("x", () => { if (one !== 1) throw new Error("no"); });\n`;
    await bed.origin.commit({
      ...core,
      ...typescriptModule("app", { "src/main.ts": "export {};\n", "src/main.test.ts": test }),
    });
    const dependency = { module: "core", kind: "test" as const, artifact: await bed.buildFit("core") };
    const artifact = await bed.buildFit("app", { dependencies: [dependency] });
    expect((await listPaths(await unpack(bed, artifact))).filter((path) => path.startsWith("node_modules"))).toEqual(
      [],
    );
  });

  it("without package.json is CommonJS also where one of type module lies above (R11)", { timeout }, async () => {
    const bed = await createBuildBed();
    const main = `export const kind: string = typeof require;\n`;
    const test = `import { kind } from "./main.js";\nif (kind !== "function") throw new Error(kind);\n`;
    await bed.origin.commit({
      "plain/mesh.yaml": "module: plain\nlanguage: typescript\n",
      "plain/src/main.ts": main,
      "plain/src/main.test.ts": test,
    });
    const above = await createTemporaryFolder();
    await writeFile(join(above, "package.json"), JSON.stringify({ type: "module" }));
    const folders = { work: join(above, "work"), cache: join(above, "cache") };
    const sandbox = await openSandbox({ bubblewrap: "/nowhere/bwrap", unsafeWithoutSandbox: true });
    expect(await bed.buildFit("plain", { sandbox, folders })).toEqual(await bed.buildFit("plain"));
  });

  it(
    "finds Node's own types also where it is built without a sandbox, and leaves their folder as it was",
    { timeout },
    async () => {
      const bed = await createBuildBed();
      await bed.origin.commit(
        typescriptModule("core", {
          "src/index.ts": `import { sep } from "node:path";\nexport const one: string = sep;\n`,
        }),
      );
      const opened = await openSandbox({ bubblewrap: "/nowhere/bwrap", unsafeWithoutSandbox: true });
      const places: string[][] = [];
      const sandbox: Sandbox = {
        ...opened,
        run: async (asked) => {
          const ended = await opened.run(asked);
          const root = asked.mounts.find(({ to }) => to === "/build")?.from ?? "";
          places.push(await readdir(join(root, "node_modules", "@types", "node")));
          return ended;
        },
      };
      expect(await bed.buildFit("core", { sandbox })).toEqual(await bed.buildFit("core"));
      expect(places).toEqual([[]]);
    },
  );

  it("without a test is fit, and said to have none", { timeout }, async () => {
    const bed = await createBuildBed();
    await bed.origin.commit(typescriptModule("core", { "src/index.ts": "export const one = 1;\n" }));
    const built = await bed.build("core");
    expect(built.verdict.verdict).toBe("fit");
    expect(built.findings.map((finding) => finding.message)).toEqual([expect.stringMatching(/no tests/)]);
  });

  it("of language files is packed as it is", { timeout }, async () => {
    const bed = await createBuildBed();
    await bed.origin.commit({
      "site/mesh.yaml": "module: site\nlanguage: files\n",
      "site/README.md": "kept",
      "site/a/b.txt": "1",
    });
    expect(await listPaths(await unpack(bed, await bed.buildFit("site")))).toEqual([
      "README.md",
      "a/b.txt",
      "mesh.yaml",
    ]);
  });
});

describe("the same output (R10)", () => {
  it("has the same digest from another path, at another time, under another umask", { timeout }, async () => {
    const [one, two] = [await createBuildBed(), await createBuildBed()];
    const first = await buildCore(one);
    const before = process.umask(0o077);
    onTestFinished(() => void process.umask(before));
    const second = await buildCore(two);
    expect(second).toEqual(first);
  });

  it("comes of a change of comments and of a README: dependents are cut off (case 8)", { timeout }, async () => {
    const bed = await createBuildBed();
    const first = await buildCore(bed);
    await bed.origin.commit({
      "core/src/index.ts": "// A comment.\nexport const one: number = 1;\n",
      "core/README.md": "new",
    });
    expect((await bed.buildFit("core")).digest).toBe(first.digest);
    await bed.origin.commit({ "core/src/index.ts": "export const one: number = 2 - 1;\n" });
    expect((await bed.buildFit("core")).digest).not.toBe(first.digest);
  });

  it("does not depend on the order in which files were written", { timeout }, async () => {
    const [one, two] = [await createBuildBed(), await createBuildBed()];
    await one.origin.commit({
      "site/mesh.yaml": "module: site\nlanguage: files\n",
      "site/b": "2",
      "site/a": "1",
      "site/a.b/c": "3",
    });
    await two.origin.commit({
      "site/a.b/c": "3",
      "site/a": "1",
      "site/b": "2",
      "site/mesh.yaml": "module: site\nlanguage: files\n",
    });
    expect(await one.buildFit("site")).toEqual(await two.buildFit("site"));
  });
});

async function buildCore(bed: BuildBed): Promise<Artifact> {
  await bed.origin.commit(core);
  return bed.buildFit("core");
}

describe("an unfit module (R11)", () => {
  it("names the file and line that does not compile", { timeout }, async () => {
    const bed = await createBuildBed();
    await bed.origin.commit({ ...core, "core/src/index.ts": `export const one: number = "1";\n` });
    const built = await bed.build("core");
    expect(built.verdict).toMatchObject({
      verdict: "unfit",
      stage: "compile",
      message: expect.stringMatching(/src\/index\.ts\(1,14\)/),
    });
    expect(built.artifact).toBeNull();
  });

  it("names the tests that fail (case 10)", { timeout }, async () => {
    const bed = await createBuildBed();
    const failing = `import { describe, it } from "node:test";\ndescribe("group", () => { it("adds # up", () => { throw new Error("boom"); }); it("is fine", () => {}); });\n`;
    await bed.origin.commit({ ...core, "core/src/more.test.ts": failing });
    const { verdict } = await bed.build("core");
    expect(verdict).toEqual({ verdict: "unfit", stage: "test", message: "1 test fails:\nadds # up: boom" });
  });

  it("says that a test file does not even load", { timeout }, async () => {
    const bed = await createBuildBed();
    await bed.origin.commit({ ...core, "core/src/more.test.ts": `throw new Error("no");\nexport {};\n` });
    expect((await bed.build("core")).verdict).toMatchObject({
      verdict: "unfit",
      stage: "test",
      message: expect.stringMatching(/dist\/more\.test\.js/),
    });
  });

  it("has a manifest that asks for a build edge (R4)", { timeout }, async () => {
    const bed = await createBuildBed();
    await bed.origin.commit({ ...core, "core/mesh.yaml": "module: core\nlanguage: typescript\ndependencies: [a]\n" });
    expect((await bed.build("core")).verdict).toMatchObject({
      verdict: "unfit",
      stage: "manifest",
      message: expect.stringMatching(/^mesh\.yaml:3: .*R4/),
    });
  });
});
