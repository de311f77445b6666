import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSandboxes } from "../../src/build/open-sandbox.ts";
import type { OutstandingClass } from "../../src/core/artifact.ts";
import { padding, endOfTar, writeHeader } from "../../src/link/artifact/tar-entries.ts";
import { listBuilds } from "../../src/store/builds.ts";
import { typescriptModule } from "../support/build-bed.ts";
import { filesModule, readModule } from "./support/module-files.ts";
import { openReconcileMesh, type ReconcileMesh } from "./support/reconcile-mesh.ts";
import { waitUntil } from "./support/wait-until.ts";

const run = promisify(execFile);
const timeout = 240_000;
const mebibyte = 1024 ** 2;

type Opening = Parameters<typeof openReconcileMesh>;

async function open(...opening: Opening): Promise<ReconcileMesh> {
  const flow = await openReconcileMesh(...opening);
  onTestFinished(() => flow.close());
  return flow;
}

/** The module is outstanding for this reason; then the cause goes, nobody does anything, and it is fit. */
async function expectHealing(
  flow: ReconcileMesh,
  kind: OutstandingClass,
  mend: () => unknown,
): Promise<{ message: string }> {
  await flow.look();
  const [build] = await listBuilds(flow.db, flow.mesh, "app", 1);
  expect({ standing: (await readModule(flow, "app")).standing, state: build?.state, class: build?.class }).toEqual({
    standing: "outstanding",
    state: "outstanding",
    class: kind,
  });
  await mend();
  flow.watch(300);
  await waitUntil("it is fit by itself", async () => (await readModule(flow, "app")).standing === "current", 120_000);
  expect(flow.wakes.filter((why) => why.startsWith("builds to try again: app")).length).toBeGreaterThan(0);
  return { message: build?.message ?? "" };
}

/** A folder that holds so much and no more. Only root can. */
async function createSmallDisk(folder: string, size: string): Promise<{ grow(size: string): Promise<unknown> }> {
  await mkdir(folder, { recursive: true });
  await run("mount", ["-t", "tmpfs", "-o", `size=${size},mode=755`, "none", folder]);
  onTestFinished(async () => void (await run("umount", ["--lazy", folder])));
  return { grow: (more) => run("mount", ["-o", `remount,size=${more}`, folder]) };
}

async function createFolders() {
  const folder = await mkdtemp(join(tmpdir(), "mesh-heals-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const below = (name: string): string => join(folder, name);
  return {
    artifacts: below("artifacts"),
    repositories: below("repositories"),
    builds: below("builds"),
    cache: below("cache"),
  };
}

const large = (): Record<string, string> => filesModule("app", "x".repeat(3 * mebibyte));

describe.runIf(process.getuid?.() === 0)("a full disk (R11, case 10)", () => {
  it("where builds work is outstanding, and heals when there is room", { timeout }, async () => {
    const folders = await createFolders();
    const disk = await createSmallDisk(folders.builds, "1m");
    const flow = await open({ folders });
    await flow.origin.commit(large());
    await flow.addModules("app");
    const { message } = await expectHealing(flow, "disk", () => disk.grow("64m"));
    expect(message).toMatch(/ENOSPC.*Make room on that disk/);
  });

  it("where artifacts are kept is outstanding, and heals when there is room", { timeout }, async () => {
    const folders = await createFolders();
    const disk = await createSmallDisk(folders.artifacts, "1m");
    const flow = await open({ folders });
    await flow.origin.commit(large());
    await flow.addModules("app");
    const { message } = await expectHealing(flow, "disk", () => disk.grow("64m"));
    expect(message).toMatch(/ENOSPC/);
  });
});

it("a registry that answers 503 is outstanding, and heals when it answers (R11, case 10)", { timeout }, async () => {
  const tarball = packPackage(JSON.stringify({ name: "left", version: "1.0.0", main: "index.js" }));
  let answers = false;
  const registry = createServer((_request, response) =>
    answers ? response.end(tarball) : response.writeHead(503).end("busy"),
  );
  await new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void registry.close());
  const { port } = registry.address() as AddressInfo;
  const flow = await open({ registries: { npm: `http://127.0.0.1:${port}/` } });
  const needs = { name: "@test/app", type: "module", dependencies: { left: "1.0.0" } };
  const entry = {
    version: "1.0.0",
    resolved: "https://registry.npmjs.org/left/-/left-1.0.0.tgz",
    integrity: `sha512-${createHash("sha512").update(tarball).digest("base64")}`,
  };
  const packages = { "": needs, "node_modules/left": entry };
  await flow.origin.commit(
    typescriptModule("app", {
      "src/index.ts": "export const one = 1;\n",
      "package.json": JSON.stringify(needs),
      "package-lock.json": JSON.stringify({ name: "@test/app", lockfileVersion: 3, requires: true, packages }),
    }),
  );
  await flow.addModules("app");
  const { message } = await expectHealing(flow, "registry", () => {
    answers = true;
  });
  expect(message).toMatch(/503/);
});

it("a limit on memory is outstanding, and heals when there is more (R11, case 10)", { timeout }, async () => {
  const buildLimits = { memoryBytes: 600 * mebibyte };
  const flow = await open({ buildLimits });
  const hungry = `import { test } from "node:test";\ntest("hungry", () => { const all: Buffer[] = []; for (let at = 0; at < 70; at += 1) all.push(Buffer.alloc(10_000_000, 1)); });\n`;
  await flow.origin.commit(typescriptModule("app", { "src/index.ts": "export {};\n", "src/index.test.ts": hungry }));
  await flow.addModules("app");
  const { message } = await expectHealing(flow, "memory", () => {
    buildLimits.memoryBytes = 2048 * mebibyte;
  });
  expect(message).toMatch(/limit on memory: it needed more than 629145600 bytes/);
});

it("no sandbox is outstanding, and heals when it is installed (R11)", { timeout }, async () => {
  const { builds } = await createFolders();
  await mkdir(builds);
  const bubblewrap = join(builds, "bwrap");
  const flow = await open({}, { sandboxes: await openSandboxes(false, { bubblewrap }) });
  await flow.origin.commit(typescriptModule("app", { "src/index.ts": "export {};\n" }));
  await flow.addModules("app");
  const { stdout } = await run("which", ["bwrap"]);
  const { message } = await expectHealing(flow, "sandbox", () => symlink(stdout.trim(), bubblewrap));
  expect(message).toMatch(/Install it: apt-get install bubblewrap/);
  // And when it goes and comes again under a controller that runs.
  await rm(bubblewrap);
  await flow.origin.commit({ "app/src/index.ts": "export const two = 2;\n" });
  await waitUntil(
    "it is outstanding again",
    async () => (await readModule(flow, "app")).standing === "outstanding",
    60_000,
  );
  await symlink(stdout.trim(), bubblewrap);
  await waitUntil("it is fit again", async () => (await readModule(flow, "app")).standing === "current", 60_000);
});

/** What `npm pack` makes, of one package.json. */
function packPackage(text: string): Buffer {
  const bytes = Buffer.from(text);
  const header = writeHeader({ name: "package/package.json", mode: "644", bytes: bytes.length });
  return gzipSync(Buffer.concat([header, bytes, padding(bytes.length), endOfTar]));
}
