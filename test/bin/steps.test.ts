import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

const steps = new URL("../../bin/steps.js", import.meta.url).href;
let folder: string;
let heard: string;
let parent: string;

/** A step that writes down each signal it hears, and takes half a second to end after the first. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mesh-steps-"));
  heard = join(folder, "heard");
  const child = join(folder, "child.mjs");
  parent = join(folder, "parent.mjs");
  writeFileSync(
    child,
    `import { appendFileSync } from "node:fs";
    for (const signal of ["SIGINT", "SIGTERM"])
      process.on(signal, () => {
        appendFileSync(${JSON.stringify(heard)}, signal + " ");
        setTimeout(() => process.exit(3), 500);
      });
    appendFileSync(${JSON.stringify(heard)}, "ready ");
    setTimeout(() => process.exit(4), 30_000);`,
  );
  writeFileSync(
    parent,
    `import { run } from ${JSON.stringify(steps)};
    await run(process.execPath, [${JSON.stringify(child)}]).catch((error) => {
      process.stderr.write(error.message);
      process.exitCode = 2;
    });`,
  );
});
afterEach(() => rmSync(folder, { recursive: true }));

const readHeard = (): string => readFileSync(heard, { encoding: "utf8", flag: "a+" });

async function endOf(child: ChildProcess): Promise<unknown> {
  const ended = once(child, "exit");
  return (await ended)[0];
}

it.each(["SIGINT", "SIGTERM"] as const)("passes %s, sent to it alone, on to the step under way", async (signal) => {
  // Of a session of its own: no terminal has it in front.
  const started = spawn(process.execPath, [parent], { detached: true, stdio: "ignore" });
  await vi.waitFor(() => expect(readHeard()).toBe("ready "), { timeout: 20_000 });
  const ended = endOf(started);
  started.kill(signal);
  expect(await ended).toBe(2);
  expect(readHeard()).toBe(`ready ${signal} `);
});

const hasScript = process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;
it.skipIf(!hasScript)(
  "leaves a terminal's Ctrl-C to reach the step by itself, once (skipped, needs script)",
  async () => {
    const started = spawn("script", ["-qec", `exec '${process.execPath}' '${parent}'`, "/dev/null"], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    await vi.waitFor(() => expect(readHeard()).toBe("ready "), { timeout: 20_000 });
    const ended = endOf(started);
    started.stdin?.write("\u0003");
    expect(await ended).toBe(2);
    expect(readHeard()).toBe("ready SIGINT ");
  },
);
