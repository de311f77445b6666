import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { InputError } from "../../src/core/errors.ts";
import { readProcessIdentity } from "../../src/embedded/process-identity.ts";
import { takeStateLock } from "../../src/embedded/state-lock.ts";

let folder: string;
let lock: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mesh-lock-"));
  lock = join(folder, "lock.json");
});
afterEach(() => rm(folder, { recursive: true }));

/** What a process leaves that had this pid and was killed. */
const leaveStale = (): Promise<void> =>
  writeFile(lock, JSON.stringify({ owner: { ...readProcessIdentity(process.pid), startTime: "1" }, token: "dead" }));

it("refuses a second start on the same state folder, naming the other's pid", async () => {
  const held = await takeStateLock(lock);
  await expect(takeStateLock(lock)).rejects.toThrow(new RegExp(`pid ${process.pid}`));
  await expect(takeStateLock(lock)).rejects.toBeInstanceOf(InputError);
  await held.release();
  await (await takeStateLock(lock)).release();
});

it("takes over the lock of a killed start, also where a stranger has its pid by now (R50)", async () => {
  await leaveStale();
  const held = await takeStateLock(lock);
  await expect(takeStateLock(lock)).rejects.toThrow(/works on this state folder/);
  await held.release();
});

it("lets exactly one of many take over a stale lock", async () => {
  for (let round = 0; round < 20; round += 1) {
    await leaveStale();
    const all = await Promise.allSettled(Array.from({ length: 8 }, () => takeStateLock(lock)));
    const held = all.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    expect(held).toHaveLength(1);
    await held[0]?.release();
  }
  expect(await readdir(folder)).toEqual([]);
});

it("does not release what another has taken over", async () => {
  const held = await takeStateLock(lock);
  await leaveStale();
  await held.release();
  expect(JSON.parse(await readFile(lock, "utf8"))).toMatchObject({ token: "dead" });
});

it("refuses a lock file it does not understand instead of passing over it (R42)", async () => {
  await writeFile(lock, "{");
  await expect(takeStateLock(lock)).rejects.toThrow(/lock\.json, line 1, column \d+: this is not JSON/);
});
