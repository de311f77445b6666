import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSandbox } from "../../src/build/open-sandbox.ts";
import { sandboxLimits } from "../../src/build/sandbox.ts";
import { createBuildBed, typescriptModule } from "../support/build-bed.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const timeout = 90_000;

const passing = `import { test } from "node:test";\nimport assert from "node:assert/strict";\nimport { one } from "./index.ts";\ntest("one is one", () => assert.equal(one, 1));\n`;
const core = typescriptModule("core", {
  "src/index.ts": "export const one: number = 1;\n",
  "src/index.test.ts": passing,
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

  it("an artifact over the limit, and it is fit where the limit is raised", { timeout }, async () => {
    const bed = await createBuildBed();
    const files = { "core/mesh.yaml": "module: core\nlanguage: files\n", "core/page.html": "x".repeat(100_000) };
    await bed.origin.commit(files);
    const build = async (diskBytes: number) =>
      (await bed.build("core", { language: "files", limits: { ...sandboxLimits, diskBytes } })).verdict;
    expect(await build(50_000)).toMatchObject({
      verdict: "outstanding",
      class: "limit",
      message: expect.stringMatching(/larger than 50000 bytes: .* raise diskBytes of buildLimits in settings\.json/),
    });
    expect(await build(200_000)).toMatchObject({ verdict: "fit" });
  });

  it.each([
    "ENOSPC: no space left on device, write",
    "EFBIG: File too large",
    "Cannot fork",
    "npm error code EINTEGRITY",
  ])("and a test that only says so has failed: %s", { timeout }, async (words) => {
    const bed = await createBuildBed();
    const says = `import { test } from "node:test";\ntest("says", () => { console.log(${JSON.stringify(words)}); throw new Error(${JSON.stringify(words)}); });\n`;
    await bed.origin.commit({ ...core, "core/src/more.test.ts": says });
    const { verdict } = await bed.build("core");
    expect(verdict).toMatchObject({ verdict: "unfit", stage: "test", message: expect.stringContaining(words) });
  });

  it("and code that only has the words in it does not compile", { timeout }, async () => {
    const bed = await createBuildBed();
    await bed.origin.commit({ ...core, "core/src/more.ts": `export const more: 1 = "No space left on device";\n` });
    expect((await bed.build("core")).verdict).toMatchObject({ verdict: "unfit", stage: "compile" });
  });

  it("a full disk while packing", { timeout }, async () => {
    const bed = await createBuildBed();
    await bed.origin.commit(core);
    const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    const store = { ...bed.store, putBlob: () => Promise.reject(full) };
    expect((await bed.build("core", { store })).verdict).toMatchObject({ verdict: "outstanding", class: "disk" });
  });

  it("a folder for builds that cannot be made: the path and what to do", { timeout }, async () => {
    const bed = await createBuildBed();
    await bed.origin.commit(core);
    const file = join(await createTemporaryFolder(), "file");
    await writeFile(file, "in the way");
    const work = join(file, "work");
    const { verdict } = await bed.build("core", { folders: { work, cache: join(file, "cache") } });
    expect(verdict).toMatchObject({
      verdict: "outstanding",
      class: "disk",
      message: expect.stringMatching(/ENOTDIR.*move it away/),
    });
    expect(verdict).toMatchObject({ message: expect.stringContaining(work) });
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
    const { verdict } = await bed.build("core", { registries: { npm: `http://127.0.0.1:${address.port}/` } });
    expect(verdict).toMatchObject({ verdict: "outstanding", class: "registry", message: expect.stringMatching(/503/) });
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
