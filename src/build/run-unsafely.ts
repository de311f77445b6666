import { mkdir, mkdtemp, rm, rmdir, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { whenThere } from "../core/errors.ts";
import { runLimited } from "./run-limited.ts";
import { fixedEnvironment, type SandboxResult, type SandboxRun } from "./sandbox.ts";

/**
 * Without any sandbox, for the product's own examples on a machine that has none: the same commands on the same layout,
 * with paths inside put back to the paths outside. Nothing is kept from what runs.
 */
export async function runUnsafely(run: SandboxRun): Promise<SandboxResult> {
  const home = await mkdtemp(join(tmpdir(), "mesh-build-"));
  const lent: string[] = [];
  try {
    for (const { at, from } of listLent(run)) {
      // Only an empty folder is a place for it: what is found by its path in a word needs none.
      if ((await whenThere(rmdir(at), ["ENOENT", "ENOTDIR", "ENOTEMPTY"])) === null) continue;
      await symlink(from, at);
      lent.push(at);
    }
    const words = run.command.map((word) => outside(run, word));
    const given = Object.entries(run.env ?? {}).map(([name, value]) => [name, outside(run, value)] as const);
    const env = {
      ...fixedEnvironment(home),
      PATH: process.env["PATH"] ?? "/usr/bin:/bin",
      ...Object.fromEntries(given),
    };
    return await runLimited({
      words: ["/bin/sh", "-c", 'umask 022; exec "$@"', "build", ...words],
      cwd: outside(run, run.folder),
      env,
      limits: run.limits,
      writable: [{ from: home, to: "/tmp" }, ...run.mounts.filter((mount) => mount.access === "write")],
      signal: run.signal,
      onProgress: run.onProgress,
      stdout: run.stdout,
      onOutput: run.onOutput,
      group: null,
      startsBlocked: false,
      given: [],
      inMemory: [],
    });
  } finally {
    for (const at of lent) {
      await rm(at, { force: true });
      await mkdir(at, { recursive: true });
    }
    await rm(home, { recursive: true, force: true });
  }
}

/** What is mounted into a folder of the build from elsewhere: found by search, so a link stands in its empty place. */
function listLent({ mounts }: SandboxRun): { readonly at: string; readonly from: string }[] {
  return mounts.flatMap(({ from, to }, index) => {
    const around = mounts.slice(0, index).findLast((one) => to.startsWith(`${one.to}/`));
    const at = around === undefined ? from : `${around.from}${to.slice(around.to.length)}`;
    return at === from ? [] : [{ at, from }];
  });
}

/** Every path in a word, also behind `=`, a comma or `file://`. */
function outside(run: SandboxRun, word: string): string {
  return word.replaceAll(/(^|[=,]|file:\/\/)(\/[^=,]*)/g, (_, before: string, path: string) => {
    const mount = run.mounts.findLast((one) => path === one.to || path.startsWith(`${one.to}/`));
    return before + (mount === undefined ? path : `${mount.from}${path.slice(mount.to.length)}`);
  });
}
