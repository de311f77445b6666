import { execFileSync } from "node:child_process";
import { rm } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { explainFullDisk } from "../../../src/cli/up/expect-room.ts";
import { UnavailableError } from "../../../src/core/errors.ts";
import { makeFolder } from "../../support/host-bed.ts";

const canMount = process.platform === "linux" && process.getuid?.() === 0;

describe.skipIf(!canMount)("a start that ends because the disk is full (skipped, needs root)", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await makeFolder();
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1024k,mode=755", "tmpfs", folder]);
  });
  afterEach(async () => {
    execFileSync("umount", [folder]);
    await rm(folder, { recursive: true, force: true });
  });

  it.each([
    [
      "a program of PostgreSQL's",
      'initdb ended with code 1:\nFATAL:  could not write to file "base/5/3541": No space left on device\nchild process exited',
    ],
    ["a statement", 'PostgreSQL gave up: could not extend file "base/13572/2658": wrote only 4096 of 8192 bytes'],
    ["Node", "ENOSPC: no space left on device, write"],
  ])(
    "says which disk, how much is left, and what to do, once, and one line of %s (R48, case 47)",
    async (_who, words) => {
      const error = new UnavailableError(words, "");
      const explained = await explainFullDisk(error, folder);
      expect(explained).toMatchObject({
        name: "UnavailableError",
        message: expect.stringMatching(
          /^no room was left to write to \([^\n]*\); the disk of \S+ has 1024 KiB of 1024 KiB left$/,
        ),
        next: "make room on it, or choose another folder with --state, then run mesh up again: it goes on from there",
        cause: error,
      });
      expect(String(explained)).toContain(folder);
    },
  );

  it("leaves every other error as it is", async () => {
    const error = new Error("the port is taken");
    expect(await explainFullDisk(error, folder)).toBe(error);
  });
});

it("blames no disk that has room: what was full is another one", async () => {
  const folder = await makeFolder();
  const error = new Error("ENOSPC: no space left on device, write");
  expect(await explainFullDisk(error, folder)).toBe(error);
  await rm(folder, { recursive: true, force: true });
});
