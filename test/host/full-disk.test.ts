import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, readdir, readlink, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Report } from "../../src/core/report.ts";
import { ownerVariable } from "../../src/host/supervisor/end-process.ts";
import { listByEnvironment } from "../../src/host/supervisor/process-list.ts";
import {
  eventually,
  makeFolder,
  putArtifact,
  raiseHostBed,
  readText,
  resourceOf,
  service,
  textFile,
  type HostBed,
} from "../support/host-bed.ts";
import { packFiles } from "../support/pack-files.ts";

let bed: HostBed | null = null;
const mounts: string[] = [];

afterEach(async () => {
  await bed?.end("SIGTERM");
  await bed?.run(["stop", "--dir", bed.dir]);
  for (const folder of mounts.splice(0)) execFileSync("umount", [folder]);
  await bed?.close();
  bed = null;
});

async function mountSmall(folder: string, kilobytes: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${kilobytes}k,mode=755`, "tmpfs", folder]);
  mounts.push(folder);
}

const loop = "setInterval(() => {}, 1000)";
const canMount = process.platform === "linux" && process.getuid?.() === 0;

/** Case 47, on a real small file system. */
describe.skipIf(!canMount)("a full disk (skipped, needs root)", { timeout: 60_000 }, () => {
  it("keeps the old artifact whole and running, says no space, and recovers by itself", async () => {
    bed = await raiseHostBed();
    await mountSmall(bed.root, 1024);
    const old = await packFiles({ "main.js": loop });
    const next = await packFiles({ "main.js": loop, ballast: randomBytes(1_200_000).toString("latin1") });
    await bed.send(1, [putArtifact(bed, old), service(old.digest)]);
    bed.start("--interval", "1");
    await bed.report(({ outcome }) => outcome === "applied", "applied");
    const run = JSON.parse(await readText(path.join(bed.dir, "state/services/service.web.main.json")));
    await bed.send(2, [putArtifact(bed, next), service(next.digest)]);
    const full = await bed.report((report) => report.has?.number === 2 && report.outcome === "failed", "failed");
    expect(resourceOf(full, "artifact/web/files")).toMatchObject({
      state: "failed",
      message: expect.stringMatching(/^no space: /),
    });
    expect(resourceOf(full, "service/web/main")?.message).toContain("waits for artifact/web/files, which is failed");
    // The old one is whole and runs; what was begun is gone again.
    process.kill(run.identity.pid, 0);
    const old12 = old.digest.slice(7, 19);
    expect(await readText(path.join(bed.root, "modules/web", old12, "main.js"))).toBe(loop);
    await eventually(async () => {
      const names = await readdir(path.join(bed?.root ?? "", "modules"), { recursive: true });
      return !names.some((name) => name.includes(".new-") || /[0-9a-f]{64}/.test(name));
    }, "nothing half is left");
    execFileSync("mount", ["-o", "remount,size=16m", bed.root]);
    await bed.report((report) => report.has?.number === 2 && report.outcome === "applied", "applied", 20_000);
  });

  it("is emptied of what an un-ready module has left, and takes its next artifact (R45)", async () => {
    bed = await raiseHostBed();
    await mountSmall(bed.root, 2700);
    // Nobody listens there: it is never healthy, and what it was before is kept for going back while there is room.
    const health = { http: "http://127.0.0.1:9/", withinSeconds: 1 };
    bed.start("--interval", "1");
    for (const number of [1, 2, 3, 4]) {
      const packed = await packFiles({ "main.js": loop, ballast: "x".repeat(600_000) + String(number) });
      await bed.send(number, [putArtifact(bed, packed), service(packed.digest, { health })]);
      const name = packed.digest.slice(7, 19);
      await bed.report(
        (report) =>
          report.has?.number === number &&
          report.outcome === "un-ready" &&
          resourceOf(report, "artifact/web/files")?.message === `files ${name} are current`,
        `number ${number} is unpacked`,
        20_000,
      );
    }
    const names = await readdir(path.join(bed.root, "modules/web"));
    // Current, the one before, and their links: the oldest was in the way.
    expect(names.filter((name) => /^[0-9a-f]{12}$/.test(name)).length).toBeLessThan(4);
    expect(bed.log()).toContain("old artifacts were collected");
  });

  it("accepts nothing that it cannot write down, says no space, and recovers by itself", async () => {
    const dir = path.join(await makeFolder(), "node-a");
    await mountSmall(dir, 2048);
    bed = await raiseHostBed({ dir });
    await bed.send(1, [textFile("settings", "one")]);
    bed.start("--interval", "1");
    await bed.report(({ outcome }) => outcome === "applied", "applied");
    const mark = await readText(path.join(dir, "state/mark.json"));
    await fill(path.join(dir, "ballast"));
    await bed.send(2, [textFile("settings", "two")]);
    const full = await bed.report((report) => resourceOf(report, "host/state") !== undefined, "said");
    expect(full).toMatchObject({ has: { epoch: 1, number: 1 }, outcome: "failed" });
    expect(resourceOf(full, "host/state")?.message).toContain("declaration 1.2 cannot be written down: no space");
    expect(await readText(path.join(dir, "state/mark.json"))).toBe(mark);
    expect(await readText(path.join(bed.root, "etc/web/settings"))).toBe("one");
    const named = await bed.report(({ disks }) => disks?.[0]?.room === "none", "names the disk");
    expect(named.disks?.[0]?.folders).toEqual([path.join(dir, "state"), bed.root, path.join(dir, "log")]);
    await rm(path.join(dir, "ballast"));
    await bed.report((report) => report.has?.number === 2 && report.outcome === "applied", "applied", 30_000);
    await bed.report(({ disks }) => disks === undefined, "names no disk any more", 30_000);
    expect(await readText(path.join(bed.root, "etc/web/settings"))).toBe("two");
  });

  it("keeps no host from coming up after a reboot, and no service from being started (R44)", async () => {
    const dir = path.join(await makeFolder(), "node-a");
    await mountSmall(dir, 2048);
    bed = await raiseHostBed({ dir });
    const packed = await packFiles({ "main.js": loop });
    await bed.send(1, [putArtifact(bed, packed), service(packed.digest)]);
    bed.start("--interval", "1");
    await bed.report(({ outcome }) => outcome === "applied", "applied");
    await bed.end("SIGKILL");
    const [runFile, lock] = [path.join(dir, "state/services/service.web.main.json"), path.join(dir, "state/host.lock")];
    const kept = await readText(runFile);
    process.kill(JSON.parse(kept).identity.pid, "SIGKILL");
    await writeFile(lock, "");
    await fill(path.join(dir, "ballast"));
    bed.start("--interval", "1");
    const isUp = ({ outcome, disks, unwritten }: Report): boolean =>
      outcome === "applied" && disks?.[0]?.room === "none" && unwritten === true;
    await bed.report(isUp, "applied with a full disk", 20_000);
    expect(await readText(runFile)).toBe(kept);
    expect(await readlink(lock)).toMatch(/^mesh\.[0-9]+\.[0-9]+\.[0-9a-f-]{36}$/);
    const first = await servicesOf(dir);
    expect(first).toHaveLength(1);
    expect(await bed.run(["run", "--dir", dir])).toMatchObject({
      code: 2,
      out: expect.stringContaining("already runs"),
    });

    // No file leads to what runs now: the next start finds it by its folder, and does not run it twice.
    await bed.end("SIGKILL");
    bed.reports.length = 0;
    bed.start("--interval", "1");
    await bed.report(isUp, "applied again with a full disk", 20_000);
    const second = await servicesOf(dir);
    expect(second).toHaveLength(1);
    expect(second).not.toEqual(first);
    expect((await readdir(path.join(dir, "state"))).filter((name) => name.startsWith("host.lock"))).toEqual([
      "host.lock",
    ]);

    await rm(path.join(dir, "ballast"));
    await eventually(async () => JSON.parse(await readText(runFile)).identity?.pid === second[0], "written down");
  });
});

function servicesOf(dir: string): Promise<readonly number[]> {
  return listByEnvironment(`${ownerVariable}=${path.join(dir, "state/services")}`);
}

async function fill(file: string): Promise<void> {
  const full = writeFile(file, Buffer.alloc(4 * 1024 * 1024));
  await expect(full).rejects.toThrow("ENOSPC");
}
