import { describe, expect, it } from "vitest";
import type { TightDisk } from "../../../src/core/tight-disk.ts";
import { createDiskWatch } from "../../../src/host/cycle/disk-watch.ts";

const disk: TightDisk = {
  folders: ["/host/state"],
  room: "none",
  freeBytes: 0,
  totalBytes: 9e9,
  freeNames: 0,
  totalNames: 0,
};

function raise() {
  const said: string[] = [];
  const found: { next: () => Promise<readonly TightDisk[]> } = { next: () => Promise.resolve([]) };
  let changes = 0;
  const say = (what: string) => void said.push(what);
  const watch = createDiskWatch({
    find: () => found.next(),
    log: { info: say, warn: say, error: say },
    onChange: () => (changes += 1),
  });
  return { watch, said, found, changes: () => changes };
}

describe("a host that looks how much room it has (R33)", () => {
  it("says a full disk once, for as long as it is full, and that there is room again", async () => {
    const { watch, said, found, changes } = raise();
    await watch.look();
    found.next = () => Promise.resolve([disk]);
    await watch.look();
    found.next = () => Promise.resolve([{ ...disk, freeBytes: 4096 }]);
    await watch.look();
    expect([said, changes(), watch.tight]).toEqual([["a disk is full, or nearly"], 1, [{ ...disk, freeBytes: 4096 }]]);
    found.next = () => Promise.resolve([]);
    await watch.look();
    expect([said.at(-1), changes()]).toEqual(["there is room on every disk again", 2]);
  });

  it("goes by what it knew where it cannot be measured, and never throws", async () => {
    const { watch, said, found } = raise();
    found.next = () => Promise.resolve([disk]);
    await watch.look();
    found.next = () => Promise.reject(new Error("EIO"));
    await watch.look();
    expect([said.at(-1), watch.tight]).toEqual(["the room on the disks cannot be measured", [disk]]);
  });
});
