import { execFile } from "node:child_process";
import { readdir, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { BusyLockError, withLock } from "../../src/build/index-lock.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

describe("the lock of the artifact store's index", () => {
  it("is left alone by a writer that lost it to the one that has it", async () => {
    const lock = join(await createTemporaryFolder(), "index.json.lock");
    const steal = async (): Promise<void> => {
      await rm(lock);
      await symlink("another's", lock);
    };
    const write = withLock(lock, steal, { waitMs: 50 });
    await expect(write).rejects.toThrow(/is locked by/);
    // Nobody's mistake: what is built by then is tried again (R11).
    await expect(write).rejects.toBeInstanceOf(BusyLockError);
    expect(await readlink(lock)).toBe("another's");
  });

  it("is taken, and let go, where no file can have a byte: what makes room on a full disk begins so (R45)", async () => {
    const folder = await createTemporaryFolder();
    const source = join(import.meta.dirname, "../../src/build/index-lock.ts");
    const script = `import { BusyLockError, withLock } from ${JSON.stringify(source)};
      await withLock(process.argv[2], async (lock) => lock.expectHeld());
      console.log("held");`;
    await writeFile(join(folder, "lock.mts"), script);
    const run = promisify(execFile);
    // No room at all: a write ends with EFBIG, as it does with ENOSPC on a disk that is full.
    const limited = `trap '' XFSZ; ulimit -f 0; exec "$@"`;
    const tsx = import.meta.resolve("tsx");
    const lock = join(folder, "index.json.lock");
    const args = [process.execPath, "--import", tsx, join(folder, "lock.mts"), lock];
    expect((await run("sh", ["-c", limited, "sh", ...args])).stdout).toBe("held\n");
    expect(await readdir(folder)).toEqual(["lock.mts"]);
  });
});
