import { createHash } from "node:crypto";
import { chmod, chown, lstat, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Resource } from "../../../src/core/resource.ts";
import type { ApplyResourceOptions } from "../../../src/host/cycle/apply-resource.ts";
import { applyAny, removeAny } from "../../../src/host/cycle/handlers.ts";
import { hostFolders, shortDigest, type HostFolders } from "../../../src/host/folders.ts";
import type { NodeContext } from "../../../src/host/node-context.ts";
import { collectUnneeded } from "../../../src/host/resources/collect-artifacts.ts";
import { makeDeclaration } from "../../link/support/fixtures.ts";
import { makeFolder, textFile } from "../../support/host-bed.ts";
import { packFiles } from "../../support/pack-files.ts";

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
let folders: HostFolders;
let packed: Awaited<ReturnType<typeof packFiles>>;

/** For root no file is shut: this process is nobody for as long as each of these tests takes. */
beforeEach(async () => {
  packed = await packFiles({ "main.js": "1", "lib/deep/part.js": "2" });
  folders = hostFolders(path.join(await makeFolder(), "node-a"));
  await mkdir(folders.root, { recursive: true });
  if (!isRoot) return;
  for (const folder of [path.dirname(folders.dir), folders.dir, folders.root]) await chown(folder, nobody, nobody);
  process.setegid?.(nobody);
  process.seteuid?.(nobody);
});

afterEach(() => {
  if (!isRoot) return;
  process.seteuid?.(0);
  process.setegid?.(0);
});

const files = (): Resource => ({
  id: "artifact/web/files",
  module: "web",
  after: [],
  kind: "artifact",
  digest: packed.digest,
  blob: `sha256:${createHash("sha256").update(packed.tar).digest("hex")}`,
  blobBytes: packed.tar.length,
});

const data: Resource = {
  id: "directory/web/data",
  module: "web",
  after: [],
  kind: "directory",
  path: "data/web",
  mode: "750",
  owner: "service",
};

function context(): NodeContext {
  const nothing = (): void => undefined;
  const owner = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 };
  const parts = {
    folders,
    host: owner,
    service: { ...owner, isOther: false, name: "nobody" },
    supervisor: { list: () => [] },
    controller: { downloadBlob: async (_blob: string, file: string) => writeFile(file, packed.tar) },
    log: { info: nothing, warn: nothing, error: nothing },
    signal: new AbortController().signal,
    declaration: makeDeclaration(),
  };
  return parts as unknown as NodeContext;
}

const options: ApplyResourceOptions = {
  wasApplied: true,
  gate: null,
  unavailableMs: () => 0,
  redact: (text) => text,
  signal: new AbortController().signal,
};

const apply = (resource: Resource) => applyAny(context(), {} as never, resource, options);
const inRoot = (...parts: string[]): string => path.join(folders.root, ...parts);

describe("what a service has shut to its own host, which is the same user (R44, case 48)", () => {
  it.each([
    ["a file of settings", ["etc", "web", "app.conf"]],
    ["the folder that it is in", ["etc", "web"]],
    ["the folder of all settings", ["etc"]],
  ])("is written anew, and said to be drift: %s", async (_what, shut) => {
    const file = textFile("app.conf", "one");
    expect(await apply(file)).toMatchObject({ state: "applied" });
    await chmod(inRoot(...shut), 0);
    expect(await apply(file)).toMatchObject({
      state: "applied",
      drift: { found: "something that cannot be read" },
    });
    expect(await readFile(inRoot("etc", "web", "app.conf"), "utf8")).toBe("one");
    expect((await apply(file)).drift).toBeUndefined();
  });

  it.each([
    ["the module's data folder", ["data", "web"], "mode 0"],
    ["the folder of all data", ["data"], "something that cannot be read"],
  ])("is opened again with what is in it: %s", async (_what, shut, found) => {
    expect(await apply(data)).toMatchObject({ state: "applied" });
    await writeFile(inRoot("data", "web", "rows"), "precious");
    await chmod(inRoot(...shut), 0);
    expect(await apply(data)).toMatchObject({ state: "applied", drift: { found: expect.stringContaining(found) } });
    expect((await lstat(inRoot("data", "web"))).mode & 0o777).toBe(0o750);
    expect(await readFile(inRoot("data", "web", "rows"), "utf8")).toBe("precious");
  });

  it.each([
    ["a file of an artifact", (name: string) => ["web", name, "main.js"], "main.js cannot be read"],
    ["a folder in it", (name: string) => ["web", name, "lib"], "lib cannot be read"],
    ["its folder", (name: string) => ["web", name], "cannot be read"],
    ["the module's folder", () => ["web"], "cannot be read"],
    ["the folder of all modules", () => [], "cannot be read"],
  ])("is unpacked anew, and nothing of the old one is left: %s", async (_what, shutOf, found) => {
    expect(await apply(files())).toMatchObject({ state: "applied" });
    const name = shortDigest(packed.digest);
    await chmod(inRoot("modules", ...shutOf(name)), 0);
    expect(await apply(files())).toMatchObject({
      state: "applied",
      drift: { found: expect.stringContaining(found) },
    });
    expect(await readFile(inRoot("modules", "web", name, "lib/deep/part.js"), "utf8")).toBe("2");
    expect((await readdir(inRoot("modules", "web"))).filter((each) => each.startsWith("."))).toEqual([]);
    expect((await apply(files())).drift).toBeUndefined();
  });

  it.each(["etc/web", "etc"])("is gone through to remove what is not wanted any more: %s", async (shut) => {
    const file = textFile("app.conf", "one");
    await apply(file);
    await chmod(inRoot(shut), 0);
    expect(await removeAny(context(), {} as never, file)).toEqual({ kind: "removed" });
    expect(await readdir(inRoot("etc"))).toEqual([]);
  });

  it("is collected like anything else that nobody needs (R45)", async () => {
    await apply(files());
    const old = inRoot("modules", "web", "0123456789ab");
    await mkdir(path.join(old, "lib"), { recursive: true });
    await writeFile(path.join(old, "lib", "part.js"), "old");
    for (const folder of [path.join(old, "lib"), old, inRoot("modules", "web")]) await chmod(folder, 0);
    expect(await collectUnneeded(context(), new Set())).toEqual(["web/0123456789ab"]);
  });
});
