import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runLimited } from "./run-limited.ts";
import { fixedEnvironment, type SandboxResult, type SandboxRun } from "./sandbox.ts";

/**
 * Without any sandbox, for the product's own examples on a machine that has none: the same commands on the same layout,
 * with paths inside put back to the paths outside. Nothing is kept from what runs.
 */
export async function runUnsafely(run: SandboxRun): Promise<SandboxResult> {
  const home = await mkdtemp(join(tmpdir(), "mesh-build-"));
  try {
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
      inMemory: [],
    });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** Every path in a word, also behind `=`, a comma or `file://`. */
function outside(run: SandboxRun, word: string): string {
  return word.replaceAll(/(^|[=,]|file:\/\/)(\/[^=,]*)/g, (_, before: string, path: string) => {
    const mount = run.mounts.findLast((one) => path === one.to || path.startsWith(`${one.to}/`));
    return before + (mount === undefined ? path : `${mount.from}${path.slice(mount.to.length)}`);
  });
}
