import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSandbox } from "../../src/build/open-sandbox.ts";
import { sandboxLimits } from "../../src/build/sandbox.ts";
import type { Artifact } from "../../src/core/artifact.ts";
import { unpackArtifact } from "../../src/link/artifact/unpack.ts";
import { type BuildBed, createBuildBed, typescriptModule } from "../support/build-bed.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const run = promisify(execFile);
const timeout = 90_000;

const passing = `import { test } from "node:test";\nimport assert from "node:assert/strict";\nimport { one } from "./index.ts";\ntest("one is one", () => assert.equal(one, 1));\n`;
const core = typescriptModule("core", {
  "src/index.ts": "export const one: number = 1;\n",
  "src/index.test.ts": passing,
});

async function unpack(bed: BuildBed, artifact: Artifact): Promise<string> {
  const into = join(await createTemporaryFolder(), "unpacked");
  await unpackArtifact({ from: await bed.store.openBlob(artifact.blob), into, digest: artifact.digest });
  return into;
}

async function listPaths(folder: string): Promise<string[]> {
  const { stdout } = await run("find", [".", "-type", "f"], { cwd: folder });
  return stdout
    .trim()
    .split("\n")
    .map((path) => path.slice(2))
    .toSorted();
}

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

  it("lists packages without a lock file, or with one that leads elsewhere", { timeout }, async () => {
    const bed = await createBuildBed();
    const pack = JSON.stringify({ name: "@test/core", type: "module", dependencies: { left: "1.0.0" } });
    await bed.origin.commit({ ...core, "core/package.json": pack });
    expect((await bed.build("core")).verdict).toMatchObject({
      verdict: "unfit",
      message: expect.stringMatching(/no package-lock\.json/),
    });
    for (const entry of [
      { resolved: "git+ssh://x/y" },
      { resolved: "../other", link: true },
      { resolved: "https://x/y.tgz" },
    ]) {
      await bed.origin.commit({
        "core/package-lock.json": JSON.stringify({ lockfileVersion: 3, packages: { "node_modules/left": entry } }),
      });
      expect((await bed.build("core")).verdict).toMatchObject({
        verdict: "unfit",
        stage: "compile",
        message: expect.stringMatching(/^package-lock\.json: node_modules\/left/),
      });
    }
  });
});

describe("an environment that fails is outstanding, never unfit (R11, case 10)", () => {
  it("says which limit an endless test hit, and leaves nothing running", { timeout }, async () => {
    const bed = await createBuildBed();
    await bed.origin.commit({
      ...core,
      "core/src/more.test.ts": `import { test } from "node:test";\ntest("endless", () => { for (;;); });\n`,
    });
    const { verdict } = await bed.build("core", { limits: { ...sandboxLimits, wallMs: 6_000 } });
    expect(verdict).toMatchObject({
      verdict: "outstanding",
      class: "limit",
      message: expect.stringMatching(/testing was stopped by the limit on time/),
    });
  });

  it("a test that needs more memory than there is", { timeout }, async () => {
    const bed = await createBuildBed();
    const hungry = `import { test } from "node:test";\ntest("hungry", () => { const all: Buffer[] = []; for (;;) all.push(Buffer.alloc(10_000_000, 1)); });\n`;
    await bed.origin.commit({ ...core, "core/src/more.test.ts": hungry });
    const { verdict } = await bed.build("core", { limits: { ...sandboxLimits, memoryBytes: 600 * 1024 ** 2 } });
    expect(verdict).toMatchObject({ verdict: "outstanding", class: "memory" });
  });

  it("a test that fills the disk", { timeout }, async () => {
    const bed = await createBuildBed();
    const full = `import { test } from "node:test";\nimport { writeFileSync } from "node:fs";\ntest("full", () => { for (let at = 0; ; at += 1) writeFileSync("/tmp/" + at, Buffer.alloc(1_000_000)); });\n`;
    await bed.origin.commit({ ...core, "core/src/more.test.ts": full });
    const { verdict } = await bed.build("core", { limits: { ...sandboxLimits, diskBytes: 32 * 1024 ** 2 } });
    expect(verdict).toMatchObject({ verdict: "outstanding", class: "disk" });
  });

  it("a full disk while packing", { timeout }, async () => {
    const bed = await createBuildBed();
    await bed.origin.commit(core);
    const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    const store = { ...bed.store, putBlob: () => Promise.reject(full) };
    expect((await bed.build("core", { store })).verdict).toMatchObject({ verdict: "outstanding", class: "disk" });
  });

  it("no sandbox on this machine: nothing is built", { timeout }, async () => {
    const bed = await createBuildBed();
    await bed.origin.commit(core);
    const sandbox = await openSandbox({ bubblewrap: "/nowhere/bwrap" });
    expect((await bed.build("core", { sandbox })).verdict).toMatchObject({
      verdict: "outstanding",
      class: "sandbox",
      message: expect.stringMatching(/apt-get install bubblewrap/),
    });
  });

  it("no sandbox, and somebody asked for it: the result is the same artifact", { timeout }, async () => {
    const bed = await createBuildBed();
    await bed.origin.commit(core);
    const sandbox = await openSandbox({ bubblewrap: "/nowhere/bwrap", unsafeWithoutSandbox: true });
    expect(sandbox.promises.join(" ")).toMatch(/NO SANDBOX/);
    expect(await bed.buildFit("core", { sandbox })).toEqual(await bed.buildFit("core"));
  });

  it("a registry that answers 503", { timeout }, async () => {
    const bed = await createBuildBed();
    const registry = createServer((_request, response) => response.writeHead(503).end("busy"));
    await new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void registry.close());
    const address = registry.address() as AddressInfo;
    const entry = {
      version: "1.0.0",
      resolved: "https://registry.npmjs.org/left/-/left-1.0.0.tgz",
      integrity: "sha512-AAAA",
    };
    const packages = { "": { name: "@test/core", dependencies: { left: "1.0.0" } }, "node_modules/left": entry };
    await bed.origin.commit({
      ...core,
      "core/package.json": JSON.stringify({ name: "@test/core", type: "module", dependencies: { left: "1.0.0" } }),
      "core/package-lock.json": JSON.stringify({ name: "@test/core", lockfileVersion: 3, requires: true, packages }),
    });
    const { verdict } = await bed.build("core", { registry: `http://127.0.0.1:${address.port}/` });
    expect(verdict).toMatchObject({ verdict: "outstanding", class: "registry" });
  });

  it("a dependency that the artifact store lost, or that is not what it was", { timeout }, async () => {
    const bed = await createBuildBed();
    await bed.origin.commit({ ...core, ...typescriptModule("app", { "src/main.ts": `import "@test/core";\n` }) });
    const artifact = await bed.buildFit("core");
    const lost = { ...artifact, blob: `sha256:${"0".repeat(64)}` };
    expect(
      (await bed.build("app", { dependencies: [{ module: "core", kind: "build", artifact: lost }] })).verdict,
    ).toMatchObject({ class: "artifact-store" });
    const other = { ...artifact, digest: `sha256:${"1".repeat(64)}` };
    expect(
      (await bed.build("app", { dependencies: [{ module: "core", kind: "build", artifact: other }] })).verdict,
    ).toMatchObject({ class: "artifact-store" });
  });

  it("a source repository that does not answer while the commit is not here", { timeout }, async () => {
    const bed = await createBuildBed();
    await bed.origin.commit(core);
    expect((await bed.build("core", { repositoryUrl: "/nowhere/at/all" })).verdict).toMatchObject({ class: "source" });
  });

  it("is no verdict at all when it is cancelled", { timeout }, async () => {
    const bed = await createBuildBed();
    await bed.origin.commit({
      ...core,
      "core/src/more.test.ts": `import { test } from "node:test";\ntest("endless", () => { for (;;); });\n`,
    });
    const cancel = new AbortController();
    const build = bed.build("core", {
      signal: cancel.signal,
      onProgress: (step) => step === "test" && cancel.abort(new Error("cancelled")),
    });
    await expect(build).rejects.toThrow("cancelled");
  });
});
