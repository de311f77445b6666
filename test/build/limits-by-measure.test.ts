import { execFile } from "node:child_process";
import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { createBubblewrap } from "../../src/build/bubblewrap.ts";
import { findControlGroups } from "../../src/build/cgroup.ts";
import { openSandbox } from "../../src/build/open-sandbox.ts";
import { type Sandbox, sandboxLimits, type SandboxResult, type SandboxRun } from "../../src/build/sandbox.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const timeout = 60_000;
const mebibyte = 1024 ** 2;
const small = { ...sandboxLimits, wallMs: 20_000, memoryBytes: 512 * mebibyte, diskBytes: 16 * mebibyte };
const root = process.getuid?.() === 0;
const unprivileged = { program: "bwrap", mode: "user-namespace" as const, ...(root ? { runAs: 65534 } : {}) };
const sandboxes: readonly (readonly [string, Sandbox])[] = [
  ["of this machine", await openSandbox()],
  ["of a user without rights", createBubblewrap({ ...unprivileged, groups: await findControlGroups() })],
  ["without control groups", createBubblewrap({ ...unprivileged, groups: null })],
];

function shell(sandbox: Sandbox, script: string, more: Partial<SandboxRun> = {}): Promise<SandboxResult> {
  const command = ["/bin/sh", "-c", script] as const;
  return sandbox.run({ command, folder: "/tmp", mounts: [], network: "none", limits: small, ...more });
}

describe.each(sandboxes)(
  "a limit is what was measured, not what was printed: the sandbox %s (R11)",
  (_name, sandbox) => {
    it.each([
      "No space left on device",
      "ENOSPC: no space left on device, write",
      "EFBIG: File too large",
      "Cannot fork",
      "fork: retry: Resource temporarily unavailable",
      "spawn EAGAIN",
      "Killed: out of memory",
    ])("who prints %j and fails has failed", { timeout }, async (words) => {
      expect(await shell(sandbox, `echo '${words}'; echo '${words}' >&2; exit 1`)).toMatchObject({
        kind: "exited",
        code: 1,
      });
    });

    it.each(["/tmp", "/dev/shm"])(
      "who fills %s and fails without a word met a full disk",
      { timeout },
      async (place) => {
        const result = await shell(sandbox, `head -c 100000000 /dev/zero > ${place}/x 2>/dev/null; exit 1`, {
          limits: { ...small, diskBytes: 80 * mebibyte },
        });
        expect(result).toMatchObject({ kind: "limit", which: "disk", message: expect.stringContaining(place) });
      },
    );

    it("who gives the room back before it fails met it too", { timeout }, async () => {
      const result = await shell(sandbox, "head -c 100000000 /dev/zero > /tmp/x; sleep 1; rm /tmp/x; exit 1");
      expect(result).toMatchObject({ kind: "limit", which: "disk" });
    });

    it("who ends with the number of a file that was too large has failed, where none was", { timeout }, async () => {
      expect(await shell(sandbox, "exit 153")).toMatchObject({ kind: "exited", code: 153 });
    });

    it("who writes a file up to its bound and is ended there met it", { timeout }, async () => {
      const out = await createTemporaryFolder();
      await chmod(out, 0o777);
      const result = await shell(sandbox, "head -c 4194304 /dev/zero > /out/x", {
        limits: { ...small, diskBytes: 2 * mebibyte },
        mounts: [{ from: out, to: "/out", access: "write" }],
      });
      expect(result).toMatchObject({ kind: "limit", which: "disk", message: expect.stringContaining("/out") });
    });

    it("who fills it and gets by did not fail", { timeout }, async () => {
      expect(await shell(sandbox, "head -c 100000000 /dev/zero > /tmp/x; exit 0")).toMatchObject({ kind: "exited" });
    });

    it("a sandbox that cannot be set up has judged nobody", { timeout }, async () => {
      const mounts = [{ from: "/nowhere/at/all", to: "/out", access: "read" as const }];
      expect(await shell(sandbox, "exit 1", { mounts })).toMatchObject({
        kind: "unavailable",
        why: expect.stringContaining("/nowhere/at/all"),
      });
    });

    it.runIf(root)("a disk of the machine that is full is seen where it is written to", { timeout }, async () => {
      const folder = await createTemporaryFolder();
      await chmod(folder, 0o755);
      const disk = join(folder, "disk");
      await mkdir(disk);
      const run = promisify(execFile);
      await run("mount", ["-t", "tmpfs", "-o", "size=4m,mode=1777", "tmpfs", disk]);
      onTestFinished(async () => void (await run("umount", [disk])));
      await chmod(disk, 0o777);
      const mounts = [{ from: disk, to: "/out", access: "write" as const }];
      expect(await shell(sandbox, "exit 3", { mounts })).toMatchObject({ kind: "exited", code: 3 });
      expect(await shell(sandbox, "head -c 8000000 /dev/zero > /out/x", { mounts })).toMatchObject({
        kind: "limit",
        which: "disk",
        message: expect.stringContaining("/out"),
      });
    });
  },
);
