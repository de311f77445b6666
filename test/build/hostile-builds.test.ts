import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { measureFolder } from "../../src/build/measure.ts";
import { openSandbox } from "../../src/build/open-sandbox.ts";
import { packFolder } from "../../src/build/pack.ts";
import { removeRoot } from "../../src/build/remove-root.ts";
import { sandboxLimits } from "../../src/build/sandbox.ts";
import { openArtifactStore } from "../../src/build/artifact-store.ts";
import { createBuildBed, typescriptModule } from "../support/build-bed.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const run = promisify(execFile);
const timeout = 120_000;
const mebibyte = 1024 ** 2;
const limits = {
  ...sandboxLimits,
  wallMs: 60_000,
  memoryBytes: 900 * mebibyte,
  diskBytes: 64 * mebibyte,
  outputBytes: 4 * mebibyte,
};

/** A test that does this, in a module that is fine otherwise. */
function moduleThat(body: string): Record<string, string> {
  const imports = `import { test } from "node:test";\nimport { spawn, spawnSync, execFileSync } from "node:child_process";\nimport fs from "node:fs";\nimport net from "node:net";\n`;
  const used = "void [spawn, spawnSync, execFileSync, fs, net];\n";
  return typescriptModule("core", {
    "src/index.ts": "export const one: number = 1;\n",
    "src/index.test.ts": `${imports}${used}test("hostile", async () => {\n${body}\n});\n`,
  });
}

async function isRunning(mark: string): Promise<boolean> {
  for (const pid of await readdir("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    const text = await readFile(`/proc/${pid}/cmdline`, "utf8").catch((error: unknown) => String(error));
    if (text.includes(mark)) return true;
  }
  return false;
}

interface Hostile {
  readonly does: string;
  readonly body: string;
  readonly ends: object;
  readonly limits?: Partial<typeof limits>;
}

const builds: readonly Hostile[] = [
  {
    does: "forks without end",
    body: `for (let at = 0; at < 4; at += 1) spawn("/bin/sh", ["-c", "b() { b | b & }; b; sleep 2"]);\nawait new Promise((resolve) => setTimeout(resolve, 3000));\nif (spawnSync("/bin/true").error) process.exit(1);\nthrow new Error("it may");`,
    ends: {
      verdict: "outstanding",
      class: "limit",
      message: expect.stringMatching(/limit on processes: it started more than 90 processes/),
    },
    limits: { processes: 90 },
  },
  {
    does: "fills its disk",
    body: `for (let at = 0; ; at += 1) fs.writeFileSync("/tmp/" + at, Buffer.alloc(1_000_000));`,
    ends: { verdict: "outstanding", class: "disk", message: expect.stringMatching(/limit on disk/) },
  },
  {
    does: "writes one file without end",
    body: `const file = fs.openSync("/tmp/x", "w"); for (;;) fs.writeSync(file, Buffer.alloc(1_000_000));`,
    ends: { verdict: "outstanding", class: "disk", message: expect.stringMatching(/limit on disk/) },
  },
  {
    does: "prints too much",
    body: `for (let at = 0; at < 4000; at += 1) console.log("x".repeat(4000));`,
    ends: {
      verdict: "outstanding",
      class: "limit",
      message: expect.stringMatching(/limit on output: it printed more than 4194304 bytes/),
    },
  },
  {
    does: "does not end",
    body: `for (;;);`,
    ends: {
      verdict: "outstanding",
      class: "limit",
      message: expect.stringMatching(/limit on time: it ran longer than 6000 ms/),
    },
    limits: { wallMs: 6_000 },
  },
  {
    does: "takes all memory",
    body: `const all = []; for (;;) all.push(Buffer.alloc(10_000_000, 1));`,
    ends: { verdict: "outstanding", class: "memory", message: expect.stringMatching(/limit on memory/) },
    limits: { memoryBytes: 600 * mebibyte },
  },
  {
    does: "deletes, links, opens up and renames what it was given",
    body: `for (const act of [() => fs.rmSync("/build/module", { recursive: true }), () => fs.symlinkSync("/etc/passwd", "/build/module/dist/out"), () => fs.chmodSync("/build/module/dist", 0), () => fs.renameSync("/build/module/dist", "/build/other"), () => fs.writeFileSync("/build/module/dist/a\\nb", "x"), () => fs.writeFileSync("/build/module/dist/index.js", "evil"), () => fs.truncateSync("/build/module/package.json")]) { let done = false; try { act(); done = true; } catch {} if (done) throw new Error("it could: " + act); }`,
    ends: { verdict: "fit" },
  },
];

describe("a build that is hostile (case 55)", () => {
  it.each(builds)("and $does ends in a stated result, and the next is clean", { timeout }, async (hostile) => {
    const bed = await createBuildBed();
    await bed.origin.commit(typescriptModule("core", { "src/index.ts": "export const one: number = 1;\n" }));
    const before = await bed.buildFit("core");
    await bed.origin.commit(moduleThat(hostile.body));
    const { verdict } = await bed.build("core", { limits: { ...limits, ...hostile.limits } });
    expect(verdict).toMatchObject(hostile.ends);
    await bed.origin.commit({ "core/src/index.test.ts": null });
    expect((await bed.buildFit("core", { limits })).digest).toBe(before.digest);
    expect(await readdir(join(bed.store.dir, "..", "work"))).toEqual([]);
  });

  it("and leaves children behind has them ended with it", { timeout }, async () => {
    const bed = await createBuildBed();
    const mark = `mark-${Math.random()}`;
    // A session of its own, and its parent gone at once.
    const body = `spawnSync("/bin/sh", ["-c", "(setsid sh -c 'trap \\"\\" TERM HUP; sleep 1000; true' ${mark} >/dev/null 2>&1 &) & exit 0"]);\nspawn("/bin/sh", ["-c", "sleep 1000; true", "${mark}"], { detached: true, stdio: "ignore" }).unref();`;
    await bed.origin.commit(moduleThat(body));
    expect((await bed.build("core", { limits })).verdict.verdict).toBe("fit");
    expect(await isRunning(mark)).toBe(false);
  });

  it("and reads what others have, and calls home, finds nothing and nobody", { timeout }, async () => {
    vi.stubEnv("MESH_CANARY", "canary-8154");
    onTestFinished(() => void vi.unstubAllEnvs());
    let visits = 0;
    const server = createServer((socket) => {
      visits += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const secret = join(await createTemporaryFolder(), "database-url");
    await writeFile(secret, "canary-8154", { mode: 0o644 });
    const body = `
const found: string[] = [JSON.stringify(process.env)];
for (const pid of fs.readdirSync("/proc").filter((name) => /^\\d+$/.test(name))) for (const name of ["environ", "cmdline", "maps"]) { try { found.push(fs.readFileSync("/proc/" + pid + "/" + name, "utf8")); } catch {} }
for (const path of ["/root", "/home", "/run", "/var", "/opt", "/srv", "/mnt", "/etc/shadow", "/etc/hostname", ${JSON.stringify(secret)}]) { if (fs.existsSync(path)) throw new Error("it sees " + path); }
if (found.join("").includes("canary-8154")) throw new Error("it read the canary");
for (const host of ["127.0.0.1", "1.1.1.1", "169.254.169.254"]) await new Promise<void>((resolve, reject) => net.connect(${port}, host).on("error", () => resolve()).on("connect", () => reject(new Error("it reached " + host))));`;
    const bed = await createBuildBed();
    await bed.origin.commit(moduleThat(body));
    expect((await bed.build("core", { limits })).verdict).toMatchObject({ verdict: "fit" });
    expect(visits).toBe(0);
  });
});

describe("what a hostile build leaves in the folder it may write to (case 55)", () => {
  const root = process.getuid?.() === 0;

  /** A step that may write, as the compilers of some languages need; its folder afterwards. */
  async function writeInside(script: string) {
    const folder = join(await createTemporaryFolder(), "out");
    await mkdir(folder);
    await chmod(folder, 0o777);
    const result = await (
      await openSandbox()
    ).run({
      command: ["/bin/sh", "-c", script],
      folder: "/out",
      mounts: [{ from: folder, to: "/out", access: "write" }],
      network: "none",
      limits,
    });
    const store = await openArtifactStore(join(await createTemporaryFolder(), "artifacts"));
    return { folder, result, pack: () => packFolder({ folder, store, limitBytes: limits.diskBytes }) };
  }

  it.each([
    ["a link to the host's files", "ln -s /etc/shadow /out/x", /x is neither a file nor a folder/],
    ["a link to a folder above", "mkdir /out/a; ln -s ../.. /out/a/up", /a\/up is neither a file nor a folder/],
    ["a pipe", "mkfifo /out/x", /neither a file nor a folder/],
    ["a name with a line break", "printf x > '/out/a\nb'", /control/],
    ["holes", "for at in $(seq 40); do truncate -s 8M /out/$at; done", /larger than 67108864 bytes/],
  ])("%s does not get into an artifact", { timeout }, async (_what, script, why) => {
    const { folder, result, pack } = await writeInside(script);
    expect(result).toMatchObject({ kind: "exited" });
    await expect(pack()).rejects.toThrow(why);
    expect(await removeRoot(folder)).toBe("");
  });

  it("a device cannot be made", { timeout }, async () => {
    const { folder, result } = await writeInside("mknod /out/x b 7 0; mknod /out/y c 1 3; ls -A /out | wc -l");
    expect(result).toMatchObject({ stdout: "0\n" });
    expect(await readdir(folder)).toEqual([]);
  });

  it("a program that would run as its owner is owned by who may nothing", { timeout }, async () => {
    const { folder, result } = await writeInside("cp /bin/sh /out/x; chmod 6755 /out/x");
    expect(result).toMatchObject({ kind: "exited" });
    const { uid } = await stat(join(folder, "x"));
    expect(uid).toBe(root ? 65534 : process.getuid?.());
  });

  it("a million names are a full disk", { timeout }, async () => {
    const { result } = await writeInside("at=0; while :; do at=$((at + 1)); : > /out/$at; done");
    expect(result).toMatchObject({ kind: "limit", which: "disk" });
  });

  it("a folder that nobody may enter is removed all the same", { timeout }, async () => {
    const { folder } = await writeInside("mkdir -p /out/a/b; : > /out/a/b/c; chmod 000 /out/a/b /out/a /out");
    expect(await removeRoot(folder)).toBe("");
    await expect(stat(folder)).rejects.toThrow(/ENOENT/);
  });

  it("a folder that it removed is missing, and what lies beside it is not", { timeout }, async () => {
    const { folder, result } = await writeInside("rm -rf /out /out/* ; ls / | tr '\\n' ' '");
    expect(result).toMatchObject({ stdout: expect.stringMatching(/ out /) });
    expect((await stat(folder)).isDirectory()).toBe(true);
  });

  it("links are not followed by what measures it, hands it over or removes it", { timeout }, async () => {
    const outside = await createTemporaryFolder();
    await writeFile(join(outside, "kept"), "1", { mode: 0o600 });
    await truncate(join(outside, "kept"), 8 * mebibyte);
    const { folder } = await writeInside("true");
    await symlink(outside, join(folder, "link"));
    expect(await measureFolder(folder, mebibyte)).toBeLessThan(mebibyte);
    await (
      await openSandbox()
    ).run({
      command: ["/bin/true"],
      folder: "/out",
      mounts: [{ from: folder, to: "/out", access: "write" }],
      network: "none",
      limits,
    });
    expect(await removeRoot(folder)).toBe("");
    expect((await stat(join(outside, "kept"))).uid).toBe(process.getuid?.());
    expect((await run("stat", ["-c", "%a", join(outside, "kept")])).stdout).toBe("600\n");
  });
});
