import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { InputError, UnavailableError } from "../../src/core/errors.ts";
import { explainUnwritable } from "../../src/embedded/explain-unwritable.ts";
import { openStateFolder } from "../../src/embedded/state-folder.ts";

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "mesh-unwritable-")));
});
afterEach(() => rm(folder, { recursive: true }));

const progress = (): void => undefined;
const failed = (code: string): Error =>
  Object.assign(new Error(`${code}: mkdir`), { code, path: join(folder, ".mesh", "run") });

describe("a state folder that cannot be written (R48)", () => {
  it.each([
    ["EROFS", UnavailableError, "it can only be read", "mount it for writing"],
    ["ENOSPC", UnavailableError, "its disk is full", "make room on it"],
    ["EDQUOT", UnavailableError, "no room left for this user", "make room on it"],
    ["EACCES", InputError, "this user may not write there", "give this user the right to"],
    ["ENOTDIR", InputError, "a file where a folder has to be", "move that file away"],
  ])("%s is said with the folder and what to do", async (code, kind, what, next) => {
    const error = failed(code);
    const said = await explainUnwritable(error, join(folder, ".mesh"));
    expect(said).toBeInstanceOf(kind);
    expect(said).toMatchObject({
      message: expect.stringContaining(`the state folder ${join(folder, ".mesh")} cannot be written: `),
      next: expect.stringContaining(next),
      cause: error,
    });
    expect(String(said)).toContain(what);
  });

  it("is no reason for what is our own bug, nor for a folder that is gone while it could be written", async () => {
    const bug = new TypeError("x");
    const gone = failed("ENOENT");
    expect(await explainUnwritable(bug, folder)).toBe(bug);
    expect(await explainUnwritable(gone, folder)).toBe(gone);
  });

  it("that lies below a file is refused as typed", async () => {
    await writeFile(join(folder, "file"), "");
    await expect(openStateFolder({ path: join(folder, "file", ".mesh"), progress })).rejects.toThrow(
      /cannot be written: there is a file where a folder has to be/,
    );
  });

  const canMount = process.platform === "linux" && process.getuid?.() === 0;
  it.skipIf(!canMount)("on a file system that can only be read says so (skipped, needs root)", async () => {
    const path = join(folder, "ro");
    await mkdir(path);
    execFileSync("mount", ["-t", "tmpfs", "-o", "ro,size=1m,mode=755", "tmpfs", path]);
    try {
      const opening = openStateFolder({ path, progress });
      await expect(opening).rejects.toBeInstanceOf(UnavailableError);
      await expect(opening).rejects.toThrow(`the state folder ${path} cannot be written: it can only be read`);
    } finally {
      execFileSync("umount", [path]);
    }
  });
});
