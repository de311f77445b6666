import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createBubblewrap } from "../../src/build/bubblewrap.ts";
import { findControlGroups } from "../../src/build/cgroup.ts";
import { describeSandbox, openSandbox } from "../../src/build/open-sandbox.ts";
import { type Sandbox, sandboxLimits, type SandboxResult, type SandboxRun } from "../../src/build/sandbox.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const timeout = 30_000;
const small = {
  ...sandboxLimits,
  wallMs: 15_000,
  memoryBytes: 256 * 1024 ** 2,
  processes: 64,
  diskBytes: 16 * 1024 ** 2,
  outputBytes: 100_000,
};

/** As this machine has it; as a user without rights has it; and the same where no control group may be made. */
const groups = await findControlGroups();
const root = process.getuid?.() === 0;
const unprivileged = { program: "bwrap", mode: "user-namespace" as const, ...(root ? { runAs: 65534 } : {}) };
const sandboxes: readonly (readonly [string, Sandbox])[] = [
  ["of this machine", await openSandbox()],
  ["of a user without rights", createBubblewrap({ ...unprivileged, groups })],
  ["without control groups", createBubblewrap({ ...unprivileged, groups: null })],
];

function shell(sandbox: Sandbox, script: string, more: Partial<SandboxRun> = {}): Promise<SandboxResult> {
  return sandbox.run({
    command: ["/bin/sh", "-c", script],
    folder: "/tmp",
    mounts: [],
    network: "none",
    limits: small,
    ...more,
  });
}

/** Other users may enter it, and write to it. */
async function createOpenFolder(): Promise<string> {
  const folder = await createTemporaryFolder();
  await chmod(folder, 0o777);
  return folder;
}

async function countProcesses(mark: string): Promise<number> {
  let found = 0;
  for (const pid of await readdir("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    const text = await readFile(`/proc/${pid}/cmdline`, "utf8").catch((error: unknown) => String(error));
    if (text.includes(mark)) found += 1;
  }
  return found;
}

it("there is a sandbox: without one nothing here is tried", async () => {
  expect((await describeSandbox()).join(" ")).not.toMatch(/No builds on this machine/);
});

describe.each(sandboxes)("the sandbox %s (case 55)", (_name, sandbox) => {
  it("gives back what a command says and how it ends", { timeout }, async () => {
    expect(await shell(sandbox, "echo out; echo err >&2; exit 3")).toEqual({
      kind: "exited",
      code: 3,
      stdout: "out\n",
      log: expect.stringMatching(/out\n|err\n/),
    });
  });

  it("has no secrets of ours: environment, files, other processes", { timeout }, async () => {
    vi.stubEnv("MESH_CANARY", "canary-4711");
    onTestFinished(() => void vi.unstubAllEnvs());
    const result = await shell(
      sandbox,
      "env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null; ls /; cat /etc/passwd; ls /home /root 2>&1; ls /proc | grep -c '^[0-9]'",
    );
    expect(JSON.stringify(result)).not.toContain("canary-4711");
    expect(JSON.stringify(result)).not.toContain(process.cwd());
    expect(result).toMatchObject({ kind: "exited" });
    const count = result.kind === "exited" ? Number(result.stdout.trim().split("\n").at(-1)) : 0;
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(10);
  });

  it("is the same whatever the umask and the time zone here (R10)", { timeout }, async () => {
    const before = process.umask(0o077);
    onTestFinished(() => void process.umask(before));
    vi.stubEnv("TZ", "Asia/Tokyo");
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await shell(sandbox, "umask; echo $TZ $LC_ALL $SOURCE_DATE_EPOCH $HOME")).toMatchObject({
      stdout: "0022\nUTC C.UTF-8 315532800 /tmp\n",
    });
  });

  it("cannot write to the system or to its kernel's settings", { timeout }, async () => {
    const settings = await readFile("/proc/sys/kernel/core_pattern", "utf8");
    // Written back as it is: should the sandbox fail, nothing on this machine has changed.
    const script = `touch /usr/x; touch /etc/ld.so.cache; printf '${settings.trim()}' > /proc/sys/kernel/core_pattern && echo WRITTEN; echo done`;
    const result = await shell(sandbox, script);
    expect(result).toMatchObject({ kind: "exited", stdout: "done\n" });
    expect(result.log.match(/Permission denied|Read-only file system/g)?.length).toBeGreaterThanOrEqual(3);
  });

  it("has no network, not even this machine's own", { timeout }, async () => {
    let visits = 0;
    const server = createServer((socket) => {
      visits += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const script = `for (const host of ["127.0.0.1", "1.1.1.1"]) require("net").connect(${port}, host).on("error", (error) => console.log(error.code)).on("connect", () => console.log("CONNECTED"))`;
    const result = await sandbox.run({
      command: [process.execPath, "-e", script],
      folder: "/tmp",
      mounts: [],
      network: "none",
      limits: { ...small, memoryBytes: 512 * 1024 ** 2 },
    });
    expect(result).toMatchObject({
      kind: "exited",
      stdout: expect.stringMatching(/^(ECONNREFUSED|ENETUNREACH)\n(ECONNREFUSED|ENETUNREACH)\n$/),
    });
    expect(visits).toBe(0);
  });

  it("reads what is mounted to read, writes what is mounted to write, and nothing else", { timeout }, async () => {
    const folder = await createOpenFolder();
    for (const name of ["in", "out"]) await mkdir(join(folder, name));
    await chmod(join(folder, "out"), 0o777);
    await writeFile(join(folder, "in", "a"), "1");
    await mkdir(join(folder, "secret"));
    const mounts = [
      { from: join(folder, "in"), to: "/build/deep/in", access: "read" as const },
      { from: join(folder, "out"), to: "/build/out", access: "write" as const },
    ];
    const result = await shell(sandbox, `cat /build/deep/in/a > /build/out/b; touch /build/deep/in/c; ls ${folder}`, {
      mounts,
    });
    expect(result.log).toMatch(/Read-only file system/);
    expect(result.log).toMatch(/No such file or directory/);
    expect(await readFile(join(folder, "out", "b"), "utf8")).toBe("1");
  });

  it("ends at its time, and everything in it", { timeout }, async () => {
    const mark = `mark-${Math.random()}`;
    const result = await shell(
      sandbox,
      `setsid sleep 1000 ${mark} & sleep 1000 || true; sh -c 'sleep 1000' ${mark}; sleep 1000`,
      { limits: { ...small, wallMs: 700 } },
    );
    expect(result).toMatchObject({ kind: "limit", which: "time", message: expect.stringMatching(/700 ms/) });
    expect(await countProcesses(mark)).toBe(0);
  });

  it("takes the children along that a command leaves behind", { timeout }, async () => {
    const mark = `mark-${Math.random()}`;
    const result = await shell(
      sandbox,
      `(trap '' TERM HUP; setsid sh -c 'sleep 1000; true' ${mark}) >/dev/null 2>&1 & exit 0`,
    );
    expect(result).toMatchObject({ kind: "exited", code: 0 });
    expect(await countProcesses(mark)).toBe(0);
  });

  it("ends when it is cancelled", { timeout }, async () => {
    const mark = `mark-${Math.random()}`;
    const cancel = new AbortController();
    const running = shell(sandbox, `sh -c 'sleep 1000; true' ${mark}`, {
      signal: cancel.signal,
      onProgress: () => cancel.abort(new Error("enough")),
    });
    await expect(running).rejects.toThrow("enough");
    expect(await countProcesses(mark)).toBe(0);
  });

  it("stops what forks without end", { timeout }, async () => {
    // Bash tries again where it cannot fork, so they are all there for a while: without a group they are only looked at.
    const bomb = "mkfifo /tmp/hold; b() { b | b & }; b; read -t 3 <> /tmp/hold; exit 1";
    const result = await shell(sandbox, "", { command: ["/bin/bash", "-c", bomb] });
    expect(result).toMatchObject({ kind: "limit", which: "processes" });
  });

  it("stops what needs too much memory", { timeout }, async () => {
    const script = "const all = []; for (;;) all.push(Buffer.alloc(10_000_000, 1));";
    const result = await sandbox.run({
      command: [process.execPath, "-e", script],
      folder: "/tmp",
      mounts: [],
      network: "none",
      limits: small,
    });
    expect(result).toMatchObject({ kind: "limit", which: "memory" });
  });

  it("stops what fills the disk: in memory at once, in a mounted folder soon", { timeout }, async () => {
    expect(await shell(sandbox, "head -c 100000000 /dev/zero > /tmp/x")).toMatchObject({
      kind: "limit",
      which: "disk",
    });
    const folder = await createOpenFolder();
    const mounts = [{ from: folder, to: "/out", access: "write" as const }];
    const result = await shell(sandbox, "while :; do head -c 1000000 /dev/zero >> /out/x; sleep 0.01; done", {
      mounts,
    });
    expect(result).toMatchObject({ kind: "limit", which: "disk" });
  });

  it("stops one file at its limit by the kernel, a sparse one too", { timeout }, async () => {
    const folder = await createOpenFolder();
    const mounts = [{ from: folder, to: "/out", access: "write" as const }];
    for (const script of ["exec head -c 100000000 /dev/zero > /out/x", "truncate -s 1T /out/y"]) {
      expect(await shell(sandbox, script, { mounts })).toMatchObject({
        kind: "limit",
        which: "disk",
        message: expect.stringMatching(/16777216 bytes/),
      });
    }
    expect((await stat(join(folder, "x"))).size).toBeLessThanOrEqual(small.diskBytes + 1024 ** 2);
    expect(await readdir(folder)).not.toContain("y.1");
  });

  it("sees of this machine nothing but programs, libraries and what they need to start", { timeout }, async () => {
    const result = await shell(sandbox, "ls -A / /etc");
    const seen = result.kind === "exited" ? result.stdout.split("\n").filter((name) => name !== "") : [];
    const known = ["bin", "build", "dev", "etc", "lib", "lib32", "lib64", "proc", "sbin", "tmp", "usr"];
    const ours = ["group", "hosts", "nsswitch.conf", "passwd"];
    const settings = ["alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", ...ours];
    const above = process.execPath.startsWith("/usr/") ? [] : [process.execPath.split("/")[1] ?? ""];
    expect(seen.filter((name) => ![...known, ...settings, ...above, "/:", "/etc:"].includes(name))).toEqual([]);
  });

  it("cannot make devices, mount, trace or signal what is not its own", { timeout }, async () => {
    const result = await shell(
      sandbox,
      `mknod /tmp/disk b 7 0 && echo MADE; mount -t tmpfs none /tmp && echo MOUNTED; kill -9 ${process.pid} && echo KILLED; chroot / true && echo ROOTED; ls /dev | tr '\n' ' '`,
    );
    expect(result).toMatchObject({ kind: "exited" });
    expect(result.kind === "exited" ? result.stdout : "").not.toMatch(
      /MADE|MOUNTED|KILLED|ROOTED|sd[a-z]|loop|kmsg|mem\b/,
    );
  });

  it("stops what prints without end, and keeps only the end of it", { timeout }, async () => {
    const result = await shell(sandbox, "yes");
    expect(result).toMatchObject({ kind: "limit", which: "output" });
    expect(result.log.length).toBeLessThanOrEqual(64 * 1024);
  });

  it.runIf(groups !== null)("leaves no control group behind", async () => {
    for (const folder of ["", "/pids", "/memory", "/cpu"].map((name) => `/sys/fs/cgroup${name}`)) {
      const names = await readdir(folder).catch((error: unknown) => [String(error)]);
      expect(names.filter((name) => name.startsWith(`mesh-build-${process.pid}-`))).toEqual([]);
    }
  });
});

it.runIf(groups?.cpu === true)(
  "a build is held to its share of processor time, behind all else that runs",
  async () => {
    const folder = groups?.version === 1 ? "/sys/fs/cgroup/cpu" : "/sys/fs/cgroup";
    const [shares, most] = groups?.version === 1 ? ["cpu.shares", "cpu.cfs_quota_us"] : ["cpu.weight", "cpu.max"];
    const sandbox = await openSandbox();
    const cancel = new AbortController();
    const read = async (): Promise<void> => {
      const name = (await readdir(folder)).find((one) => one.startsWith(`mesh-build-${process.pid}-`));
      if (name === undefined) throw new Error("there is no group for it");
      cancel.abort(
        [await readFile(join(folder, name, shares), "utf8"), await readFile(join(folder, name, most), "utf8")].join(
          " ",
        ),
      );
    };
    const running = sandbox.run({
      command: ["/bin/sh", "-c", "while :; do :; done"],
      folder: "/tmp",
      mounts: [],
      network: "none",
      limits: { ...small, cpus: 0.2 },
      signal: cancel.signal,
      onProgress: () => void read(),
    });
    await expect(running).rejects.toMatch(groups?.version === 1 ? /^128\n 20000\n$/ : /^12\n 20000 100000\n$/);
  },
);

it.runIf(root)("root is never kept as root inside (the kernel would let it write its settings)", () => {
  expect(() => createBubblewrap({ program: "bwrap", mode: "user-namespace", groups })).toThrow(/not for user 0/);
});
