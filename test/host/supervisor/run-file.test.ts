import { mkdir, open, readdir, readlink, rm } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { digestValue } from "../../../src/decide/digest.ts";
import { readRuns, removeRun, writeRunWithSpace } from "../../../src/host/supervisor/run-file.ts";
import { makeFolder } from "../../support/host-bed.ts";

let folder: string;

beforeEach(async () => {
  folder = path.join(await makeFolder(), "services");
  await mkdir(folder);
});

afterEach(async () => {
  vi.restoreAllMocks();
  await rm(path.dirname(folder), { recursive: true, force: true });
});

const run = {
  id: "service/web/main",
  module: "web",
  artifact: digestValue("artifact"),
  spec: digestValue("spec"),
  nonce: "nonce",
  identity: null,
  startedMs: 0,
  firstStartedMs: 0,
  endings: [],
  lastEnding: null,
  logBytes: 0,
  lastRanMs: null,
};

describe.skipIf(process.platform !== "linux")("what is kept of a service that was removed", () => {
  it("is gone for good, also over a power cut: no declaration would lead to it, and nobody end it (R44)", async () => {
    await writeRunWithSpace(folder, run);
    expect(await readRuns(folder, () => undefined)).toMatchObject([run]);
    // Each sync, and what was in the folder as it was done.
    const synced: [string, readonly string[]][] = [];
    const handle = await open(folder, "r");
    const kind: typeof handle = Object.getPrototypeOf(handle);
    await handle.close();
    vi.spyOn(kind, "sync").mockImplementation(async function (this: typeof handle) {
      synced.push([await readlink(`/proc/self/fd/${this.fd}`), await readdir(folder)]);
    });
    await removeRun(folder, run.id);
    expect(synced).toEqual([[folder, []]]);
  });
});
