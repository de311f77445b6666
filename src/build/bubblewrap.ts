import { lchown, lstat, readdir, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { whenThere } from "../core/errors.ts";
import type { ControlGroups } from "./cgroup.ts";
import { firstGiven, runLimited } from "./run-limited.ts";
import { joinRaw } from "./raw-path.ts";
import { fixedEnvironment, type Mount, type Sandbox, type SandboxResult, type SandboxRun } from "./sandbox.ts";

/**
 * `nobody`: we are root, so what runs inside really is another user. `user-namespace`: we are not, so it is ourselves
 * without any rights, in namespaces of its own. Never the second as root: to the kernel its processes would still be
 * user 0, and owners may write what lies below /proc/sys.
 */
export type BubblewrapMode = "nobody" | "user-namespace";

export interface CreateBubblewrap {
  readonly program: string;
  readonly mode: BubblewrapMode;
  readonly groups: ControlGroups | null;
  /** Starts bubblewrap as this user and group; only root can. */
  readonly runAs?: number;
}

const nobody = 65534;
/**
 * What programs look up of users, and of the one host that a build can reach: its own. Without these a test that says
 * `localhost`, or asks who it is, would fail for what the machine lacks.
 */
const systemFiles: readonly (readonly [path: string, content: string])[] = [
  ["/etc/passwd", "root:x:0:0:root:/root:/usr/sbin/nologin\nnobody:x:65534:65534:nobody:/tmp:/usr/sbin/nologin\n"],
  ["/etc/group", "root:x:0:\nnogroup:x:65534:\n"],
];
const hostFiles: typeof systemFiles = [
  ["/etc/hosts", "127.0.0.1 localhost build\n::1 localhost\n"],
  ["/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"],
];
const shmBytes = 64 * 1024 ** 2;

export function createBubblewrap(options: CreateBubblewrap): Sandbox {
  const user = options.runAs ?? process.getuid?.();
  if ((user === 0) !== (options.mode === "nobody"))
    throw new Error(`a sandbox of mode ${options.mode} is not for user ${user}`);
  return {
    promises: describePromises(options),
    run: (run) => runInside(options, run),
  };
}

function describePromises({ mode, groups }: CreateBubblewrap): string[] {
  return [
    "Builds see their own files, the toolchain and /usr, read-only; no secrets, no environment of ours, no other processes.",
    "No network while compiling and testing; fetching third-party packages has the host's network.",
    mode === "nobody"
      ? "Builds run as the user nobody."
      : "Builds run as this user, without its rights, in a user namespace of their own.",
    groups === null
      ? "CANNOT PROMISE: memory is only watched four times a second, as no control group may be made here; processes are limited by the kernel."
      : `Memory and processes are limited by the kernel (control groups, version ${groups.version}).`,
    groups?.cpu === true
      ? "Builds get the processor time that is left over."
      : "CANNOT PROMISE: builds take processor time as any program does, as no control group for it may be made here.",
    "One file, and all of /tmp, are limited by the kernel.",
    "CANNOT PROMISE: many files in a folder that is kept are measured a few times a second, not limited by the kernel.",
  ];
}

async function runInside(options: CreateBubblewrap, run: SandboxRun): Promise<SandboxResult> {
  const writable = run.mounts.filter((mount) => mount.access === "write");
  if (options.mode === "nobody") for (const { from } of writable) await giveAway(from);
  const group = options.groups === null ? null : await options.groups.create(run.limits);
  try {
    return await runLimited({
      words: [options.program, ...(await listArguments(options.mode, run)), "--", ...wrapCommand(options, run)],
      cwd: "/",
      // Not even bubblewrap has our environment: its own could be read from inside.
      env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
      limits: run.limits,
      writable,
      signal: run.signal,
      onProgress: run.onProgress,
      stdout: run.stdout,
      onOutput: run.onOutput,
      group,
      startsBlocked: true,
      given: listFiles(run).map(([, content]) => content),
      inMemory: [
        { path: "/tmp", bytes: tmpBytesOf(run) },
        { path: "/dev/shm", bytes: shmBytes },
      ],
      runAs: options.runAs,
    });
  } finally {
    await group?.remove();
  }
}

/** Links are not followed: a folder written by one build may be given to the next. */
async function giveAway(path: string): Promise<void> {
  await lchown(path, nobody, nobody);
  if ((await lstat(path)).isDirectory()) await giveAwayBelow(Buffer.from(path));
}

/** Caches of compilers have thousands of files: one folder's are done at once. */
async function giveAwayBelow(folder: Buffer): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true, encoding: "buffer" });
  await Promise.all(entries.map((entry) => lchown(joinRaw(folder, entry.name), nobody, nobody)));
  for (const entry of entries) if (entry.isDirectory()) await giveAwayBelow(joinRaw(folder, entry.name));
}

/** So that a full /tmp is a full disk and not a lack of memory: it lives in memory. */
function tmpBytesOf({ limits }: SandboxRun): number {
  return Math.floor(Math.min(limits.diskBytes, limits.memoryBytes / 2));
}

async function listArguments(mode: BubblewrapMode, run: SandboxRun): Promise<string[]> {
  const user =
    mode === "nobody"
      ? ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
      : // Inside it has a name that is known there, whoever runs this.
        ["--unshare-user", "--disable-userns", "--uid", String(nobody), "--gid", String(nobody)];
  const env = {
    ...fixedEnvironment("/tmp"),
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    ...run.env,
  };
  return [
    ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--hostname", "build"],
    run.network === "none" ? ["--unshare-net"] : [],
    user,
    ["--die-with-parent", "--new-session", "--block-fd", "3", "--info-fd", "4", "--json-status-fd", "5"],
    await listSystem(run.network),
    listFiles(run).flatMap(([path], at) => ["--perms", "0644", "--file", String(firstGiven + at), path]),
    ["--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--size", String(shmBytes), "--tmpfs", "/dev/shm"],
    ["--perms", "1777", "--size", String(tmpBytesOf(run)), "--tmpfs", "/tmp"],
    run.mounts.flatMap(mountArguments),
    // What bubblewrap made for mounts to lie in is memory that nobody limits.
    ["--remount-ro", "/dev", "--remount-ro", "/"],
    ["--clearenv"],
    Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
    ["--chdir", run.folder],
  ].flat();
}

/** With a network the machine's own say which hosts there are. */
function listFiles({ network }: SandboxRun): typeof systemFiles {
  return network === "none" ? [...systemFiles, ...hostFiles] : systemFiles;
}

/** Folders above a mount are made for everybody to pass: bubblewrap by itself makes them for their owner only. */
function mountArguments(mount: Mount): string[] {
  return [...foldersAbove(mount.to), mount.access === "read" ? "--ro-bind" : "--bind", mount.from, mount.to];
}

function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === "/" ? [] : [...foldersAbove(above), "--perms", "0755", "--dir", above];
}

/** Where builds run as nobody, the kernel counts whatever else runs as nobody on this machine. */
const othersOfNobody = 1024;

/** The words are data after a constant script: it only sets what argv cannot. */
function wrapCommand({ mode, groups }: CreateBubblewrap, run: SandboxRun): string[] {
  // In blocks of 512 bytes, a number of ours; a little more, so that the watch sees a program that goes on at the limit.
  const blocks = Math.ceil((run.limits.diskBytes + 1024 ** 2) / 512);
  const script = `umask 022; ulimit -c 0; ulimit -f ${blocks}; exec "$@"`;
  const most = run.limits.processes + (mode === "nobody" ? othersOfNobody : 0);
  // A watch is too slow for what forks without end.
  const fewer = groups === null ? ["/usr/bin/prlimit", `--nproc=${most}:${most}`] : [];
  const user = [`--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"];
  const rights = ["--inh-caps=-all", "--bounding-set=-all", "--no-new-privs"];
  const drop = mode === "nobody" ? ["/usr/bin/setpriv", ...user, ...rights] : [];
  return ["/bin/sh", "-c", script, "build", ...fewer, ...drop, ...run.command];
}

/** Programs and libraries, and of /etc only what they need to start (and, with network, to find and trust hosts). */
async function listSystem(network: "none" | "host"): Promise<string[]> {
  const words = ["--ro-bind", "/usr", "/usr", "--perms", "0755", "--dir", "/etc"];
  for (const name of ["bin", "sbin", "lib", "lib32", "lib64"]) words.push(...(await mountTopFolder(`/${name}`)));
  for (const path of ["/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives"])
    words.push("--ro-bind-try", path, path);
  if (network === "host") {
    for (const path of ["/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl", "/etc/ca-certificates", "/etc/pki"])
      words.push("--ro-bind-try", path, path);
    // Often a link to a file elsewhere; the file is what is needed.
    const resolver = await whenThere(realpath("/etc/resolv.conf"));
    if (resolver !== null) words.push("--ro-bind", resolver, "/etc/resolv.conf");
  }
  return [...words, ...(await listNode(process.execPath))];
}

/**
 * The program alone and the libraries beside it, not the folder around them: of ~/bin/node that is somebody's home. npm has
 * a mount of its own where it is needed. `program`: as this process was started.
 */
export async function listNode(program: string): Promise<string[]> {
  const node = await realpath(program);
  if (node.startsWith("/usr/") && program.startsWith("/usr/")) return [];
  const words = mountArguments({ from: node, to: program, access: "read" });
  if (basename(dirname(node)) !== "bin" || basename(dirname(program)) !== "bin") return words;
  const [from, to] = [node, program].map((path) => join(dirname(dirname(path)), "lib"));
  const libraries = from === undefined ? null : await whenThere(lstat(from));
  if (from === undefined || to === undefined || libraries?.isDirectory() !== true) return words;
  return [...words, ...mountArguments({ from, to, access: "read" })];
}

async function mountTopFolder(path: string): Promise<string[]> {
  const found = await whenThere(lstat(path));
  if (found === null) return [];
  return found.isSymbolicLink() ? ["--symlink", await readlink(path), path] : ["--ro-bind", path, path];
}
