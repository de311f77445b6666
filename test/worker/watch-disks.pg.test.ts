import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { TightDisk } from "../../src/core/tight-disk.ts";
import { listConditions } from "../../src/store/conditions.ts";
import type { Watch } from "../../src/worker/keep-looking.ts";
import { watchDisks } from "../../src/worker/watch-disks.ts";
import { addNodes, mesh, openRecords, type Records, reportOf, until } from "../store/open-records.ts";

let records: Records;
let watch: Watch | null = null;
const disk: TightDisk = {
  folders: ["/var/lib/mesh-host/state", "/var/lib/mesh-host/root"],
  room: "little",
  freeBytes: 512 * 1024 ** 2,
  totalBytes: 100 * 1024 ** 3,
  freeNames: 1,
  totalNames: 1,
};

beforeAll(async () => {
  records = await openRecords();
  await addNodes(records.db, "node-a");
  await records.db.query(`update node set incarnation = 'aaaa'`);
});
afterEach(async () => {
  await watch?.stop();
  watch = null;
});
afterAll(() => records.close());

function start(...folders: string[]): void {
  const log = pino({ level: "silent" });
  watch = watchDisks({ db: records.as("controller"), mesh, log, folders, everyMs: 10 });
}

const find = async (code: string) => (await listConditions(records.db, mesh)).find((one) => one.code === code);

async function report(disks: readonly TightDisk[] | undefined): Promise<void> {
  const body = { ...reportOf("node-a", { has: { epoch: 1, number: 1 } }), disks };
  await records.db.query(
    `insert into account (mesh, node, incarnation, epoch, number, boot, sequence, outcome, report, received_at)
     values ($1, 'node-a', 'aaaa', 1, 1, 1, 1, 'applied', $2, now())
     on conflict (mesh, node) do update set report = excluded.report, incarnation = excluded.incarnation`,
    [mesh, JSON.stringify(body)],
  );
}

describe("a disk with little or no room (R33)", () => {
  it("of a host's machine is said by node and folder, until its host says no more of it", async () => {
    await report([disk]);
    start();
    const little = await until(() => find("host-disk-full").then((one) => one ?? null));
    expect(little).toMatchObject({ subject: "node-a /var/lib/mesh-host/state", urgent: false });
    expect(little.message).toContain("/var/lib/mesh-host/root on node-a has little room left: 512 MiB of 100 GiB left");
    await report([{ ...disk, room: "none", freeBytes: 0 }]);
    await until(async () => (await find("host-disk-full"))?.urgent === true);
    await report(undefined);
    await until(async () => (await find("host-disk-full")) === undefined);
  });

  it("of a host that was enrolled again is not believed of the one before", async () => {
    await report([disk]);
    start();
    await until(async () => (await find("host-disk-full")) !== undefined);
    await records.db.query(`update account set incarnation = 'before' where node = 'node-a'`);
    await until(async () => (await find("host-disk-full")) === undefined);
  });
});

const canMount = process.platform === "linux" && process.getuid?.() === 0;

describe.skipIf(!canMount)("the controller's own disk (skipped, needs root)", () => {
  it("is said by its folder, and is over when there is room again", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "mesh-room-"));
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1024k", "tmpfs", folder]);
    try {
      await writeFile(path.join(folder, "ballast"), Buffer.alloc(1000 * 1024));
      start(folder);
      const full = await until(() => find("disk-full").then((one) => one ?? null));
      expect(full).toMatchObject({ subject: folder, urgent: true });
      expect(full.message).toContain("has no room left");
      await rm(path.join(folder, "ballast"));
      await until(async () => (await find("disk-full")) === undefined);
    } finally {
      await watch?.stop();
      execFileSync("umount", [folder]);
      await rm(folder, { recursive: true });
    }
  });
});
