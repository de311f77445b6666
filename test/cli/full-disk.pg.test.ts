import { beforeEach, describe, expect, it } from "vitest";
import type { TightDisk } from "../../src/core/tight-disk.ts";
import { observeCondition } from "../../src/store/conditions.ts";
import { grant, mesh } from "../store/open-records.ts";
import { type CommandBed, openCommandBed } from "./command-bed.ts";

let bed: CommandBed;
let full: TightDisk;

beforeEach(async () => {
  bed = await openCommandBed();
  full = { folders: [bed.state], room: "none", freeBytes: 0, totalBytes: 2 ** 30, freeNames: 0, totalNames: 0 };
  return () => bed.close();
});

describe("the disk of the state folder is full, and the records on it take nothing more (R33, R44)", () => {
  it("is a condition all the same, because the command looks itself: 2", async () => {
    bed.placeOn(full);
    const ran = await bed.run("conditions");
    expect(ran.code).toBe(2);
    expect(ran.stdout).toContain(`! disk-full ${bed.state}`);
    expect(ran.stdout).toContain("0 KiB of 1024 MiB left");
    expect(ran.stdout).not.toContain("no condition is open");
    expect(ran.stdout).toContain("next: make room on that disk, then npm start");
  });

  it("is what status says to mend, and not to start what cannot start: 2", async () => {
    bed.placeOn(full);
    const ran = await bed.run("status");
    expect(ran.code).toBe(2);
    expect(ran.stdout).toContain("disk-full");
    expect(ran.stdout).not.toContain("npm start");
    expect(await bed.documentOf("status")).toMatchObject({ conditions: [{ code: "disk-full", urgent: true }] });
  });

  it("is said once where the controller wrote it down in time", async () => {
    await grant(bed.records.db);
    const words = { message: "full", remedy: "make room", urgent: true };
    await observeCondition(bed.records.db, mesh, { code: "disk-full", subject: bed.state, ...words });
    bed.placeOn(full);
    expect((await bed.documentOf("conditions"))["conditions"]).toHaveLength(1);
  });

  it("is said to who is about to write, before it fails", async () => {
    bed.placeOn(full);
    const ran = await bed.run("push", "node-z");
    expect(ran.stderr).toContain(`the disk of ${bed.state} is full (0 KiB of 1024 MiB left)`);
  });

  it("is over when there is room again, and little room is left to the controller", async () => {
    await grant(bed.records.db);
    bed.placeOn({ ...full, room: "little" });
    expect(await bed.run("conditions")).toMatchObject({ code: 0, stdout: "no condition is open\n" });
  });
});
