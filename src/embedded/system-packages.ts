import { constants } from "node:fs";
import { access, readFile, rm, writeFile } from "node:fs/promises";
import { hasErrorCode } from "../core/errors.ts";
import { findOnPath } from "./find-on-path.ts";
import { timeStep, type Progress } from "./progress.ts";
import { runCommand } from "./run-command.ts";

export type SystemPackage = "bubblewrap" | "rabbitmq-server" | "libfaketime";

/** Where to see that it is there: a command on the PATH, or a program that a package keeps elsewhere. */
const programs: Readonly<Record<SystemPackage, string>> = {
  bubblewrap: "bwrap",
  "rabbitmq-server": "/usr/lib/rabbitmq/bin/rabbitmq-server",
  // Only for runs of faults, and only there is it asked for.
  libfaketime: `/usr/lib/${process.arch === "arm64" ? "aarch64" : "x86_64"}-linux-gnu/faketime/libfaketime.so.1`,
};

export interface SystemPackagesOptions {
  readonly progress: Progress;
  readonly env?: NodeJS.ProcessEnv;
  readonly guardFile?: string;
  /** Whether apt may be used: as root, where there is one. For tests. */
  readonly mayInstall?: boolean;
}

export interface MissingPackages {
  readonly missing: readonly SystemPackage[];
  /** What a person should run; empty when nothing is missing. */
  readonly remedy: string;
}

/** Installs by apt what is not there, where that is possible; answers what is missing after that. */
export async function ensureSystemPackages(
  wanted: readonly SystemPackage[],
  options: SystemPackagesOptions,
): Promise<MissingPackages> {
  const env = options.env ?? process.env;
  const before = await listMissing(wanted, env);
  if (before.length === 0) return { missing: [], remedy: "" };
  const remedy = `apt-get install --no-install-recommends ${before.join(" ")}`;
  const apt = await findOnPath("apt-get", env);
  if (apt === null || !(options.mayInstall ?? process.getuid?.() === 0)) return { missing: before, remedy };
  options.progress(`installing Debian's ${before.join(" and ")} by apt-get`);
  try {
    await timeStep(options.progress, `installed ${before.join(" and ")}`, () =>
      installByApt(apt, before, env, options),
    );
  } catch (error) {
    options.progress(`apt-get did not install it: ${error instanceof Error ? error.message : String(error)}`);
  }
  const missing = await listMissing(before, env);
  return { missing, remedy: missing.length === 0 ? "" : remedy };
}

async function listMissing(
  wanted: readonly SystemPackage[],
  env: NodeJS.ProcessEnv,
): Promise<readonly SystemPackage[]> {
  const missing: SystemPackage[] = [];
  for (const name of wanted) {
    const program = programs[name];
    const there = program.startsWith("/") ? await mayRun(program) : (await findOnPath(program, env)) !== null;
    if (!there) missing.push(name);
  }
  return missing;
}

async function mayRun(path: string): Promise<boolean> {
  try {
    // A library is only read.
    await access(path, path.includes(".so") ? constants.R_OK : constants.X_OK);
    return true;
  } catch {
    // absence is the answer: not there, or not for us to run; installing it is the cure for both.
    return false;
  }
}

async function installByApt(
  apt: string,
  names: readonly SystemPackage[],
  env: NodeJS.ProcessEnv,
  options: SystemPackagesOptions,
): Promise<void> {
  const run = { timeoutMs: 15 * 60_000, env: { ...env, DEBIAN_FRONTEND: "noninteractive" } };
  const lock = ["-o", "DPkg::Lock::Timeout=120"];
  const install = [...lock, "install", "-y", "--no-install-recommends", ...names];
  const guarded = await placeGuard(options.guardFile ?? "/usr/sbin/policy-rc.d");
  try {
    await runCommand(apt, [...lock, "update"], run);
    try {
      await runCommand(apt, install, run);
    } catch (error) {
      // An install that was killed half-way is completed first.
      if (!(error instanceof Error) || !error.message.includes("dpkg --configure -a")) throw error;
      await runCommand("dpkg", ["--configure", "-a"], run);
      await runCommand(apt, install, run);
    }
  } finally {
    await guarded.remove();
  }
}

const guard = "#!/bin/sh\n# Placed by mesh-delivery while it installs: packages start no services.\nexit 101\n";

/** Debian asks this file before a package starts its service. One that somebody else placed stays, and decides. */
async function placeGuard(path: string): Promise<{ remove(): Promise<void> }> {
  try {
    await writeFile(path, guard, { flag: "wx", mode: 0o755 });
  } catch (error) {
    if (!hasErrorCode(error, "EEXIST")) throw error;
    // Ours, left by an install that was killed: taken over, and removed at the end of this one.
    if ((await readFile(path, "utf8")) !== guard) return { remove: () => Promise.resolve() };
  }
  return { remove: () => rm(path, { force: true }) };
}
