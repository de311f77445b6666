import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { ResourceReport } from "../../../src/core/report.ts";
import type { Resource } from "../../../src/core/resource.ts";
import { digestValue } from "../../../src/decide/digest.ts";
import { applyPass } from "../../../src/host/cycle/apply-pass.ts";
import { createPatience } from "../../../src/host/cycle/patience.ts";
import { hostFolders, shortDigest, type HostFolders } from "../../../src/host/folders.ts";
import { collectUnneeded } from "../../../src/host/resources/collect-artifacts.ts";
import type { Applied } from "../../../src/host/state/applied.ts";
import { makeDeclaration } from "../../link/support/fixtures.ts";
import { makeFolder } from "../../support/host-bed.ts";

let folders: HostFolders;

beforeEach(async () => {
  folders = hostFolders(path.join(await makeFolder(), "node-a"));
});

/** Three builds of a module unpacked: the last is in force and current, the one before is the one to go back to. */
async function unpack(module: string): Promise<readonly Resource[]> {
  const digests = [1, 2, 3].map((build) => digestValue(`${module} ${build}`));
  const folder = path.join(folders.root, "modules", module);
  const [, previous = "", current = ""] = digests.map(shortDigest);
  for (const digest of digests) await mkdir(path.join(folder, shortDigest(digest)), { recursive: true });
  await symlink(current, path.join(folder, "current"));
  await symlink(previous, path.join(folder, "previous"));
  const [, , digest = digestValue("")] = digests;
  const files: Resource = {
    id: `artifact/${module}/files`,
    module,
    after: [],
    kind: "artifact",
    digest,
    blob: digest,
    blobBytes: 1,
  };
  const rest = { command: ["node"], env: {}, restartOn: [], presence: [], artifact: digest };
  return [files, { id: `service/${module}/main`, module, after: [files.id], kind: "service", ...rest }];
}

async function countUnpacked(module: string): Promise<number> {
  const names = await readdir(path.join(folders.root, "modules", module));
  return names.filter((name) => /^[0-9a-f]{12}$/.test(name)).length;
}

interface PassOptions {
  readonly stateOf?: (id: string) => ResourceReport["state"];
  readonly writeApplied?: (applied: Applied) => Promise<void>;
}

function pass(
  ordered: readonly Resource[],
  { stateOf = () => "applied", writeApplied = async () => undefined }: PassOptions,
) {
  const nothing = (): void => undefined;
  const content = { node: "node-a", builds: {}, resources: [...ordered] };
  const supervisor = { list: () => [] } as never;
  return applyPass({
    content: digestValue(ordered),
    ordered,
    applied: null,
    settled: new Map(),
    seen: new Set(),
    effects: {
      apply: async ({ id }) => ({ id, state: stateOf(id), message: "as it is" }),
      remove: async () => ({ kind: "removed" }),
      collect: (held) => collectUnneeded({ folders, declaration: makeDeclaration({ content }), supervisor }, held),
    },
    disk: { writeApplied },
    log: { info: nothing, warn: nothing, error: nothing },
    signal: new AbortController().signal,
    patience: createPatience(() => 0),
    redact: (text) => text,
    onReport: nothing,
    onApplied: nothing,
  });
}

describe("old artifacts (R45)", () => {
  it.each(["un-ready", "failed", "waiting"] as const)(
    "of a module that is right go while another one is %s, whose own stay",
    async (state) => {
      const ordered = [...(await unpack("ill")), ...(await unpack("web"))];
      await pass(ordered, { stateOf: (id) => (id === "service/ill/main" ? state : "applied") });
      expect([await countUnpacked("web"), await countUnpacked("ill")]).toEqual([2, 3]);
    },
  );

  it("go with what was half downloaded, whatever is un-ready", async () => {
    const ordered = await unpack("ill");
    const staging = path.join(folders.root, "modules", ".staging");
    await mkdir(staging);
    await writeFile(path.join(staging, digestValue("of a build before").slice(7)), "half");
    await pass(ordered, { stateOf: () => "un-ready" });
    expect(await readdir(staging)).toEqual([]);
  });

  it("go before anything else where what is tracked cannot be written: the disk is full of them (case 47)", async () => {
    const ordered = await unpack("web");
    const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    const writeApplied = async (): Promise<void> => {
      if ((await countUnpacked("web")) > 2) throw full;
    };
    const { reports } = await pass(ordered, { writeApplied });
    expect(reports.map(({ state }) => state)).toEqual(["applied", "applied"]);
    // Nothing is left to make room with: that is said as it is.
    await expect(pass(ordered, { writeApplied: () => Promise.reject(full) })).rejects.toBe(full);
  });

  it("go also where the disk was filled by what the pass has started: nothing else makes room (case 47)", async () => {
    const ordered = await unpack("web");
    const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    const written: Applied[] = [];
    const writeApplied = async (applied: Applied): Promise<void> => {
      if (written.length > 0 && (await countUnpacked("web")) > 2) throw full;
      written.push(applied);
    };
    const { reports } = await pass(ordered, { writeApplied });
    expect(reports.map(({ state }) => state)).toEqual(["applied", "applied"]);
    expect(written.map(({ finished }) => finished)).toEqual([false, true]);
  });
});
