import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { createBubblewrap, type BubblewrapMode } from "./bubblewrap.ts";
import { findControlGroups } from "./cgroup.ts";
import { runUnsafely } from "./run-unsafely.ts";
import { type Sandbox, sandboxLimits } from "./sandbox.ts";

export interface OpenSandbox {
  /** Without bubblewrap every build is *outstanding*, unless this is set: then builds run as they are. */
  readonly unsafeWithoutSandbox?: boolean;
  /** For tests: another program, or one that is not there. */
  readonly bubblewrap?: string;
}

const run = promisify(execFile);

/** Finds out what this machine can do, by doing it. Never throws for what the machine lacks. */
export async function openSandbox(options: OpenSandbox = {}): Promise<Sandbox> {
  const program = options.bubblewrap ?? "bwrap";
  const missing = await describeMissing(program);
  if (missing !== null)
    return options.unsafeWithoutSandbox === true ? createUnsafe(missing) : createUnavailable(missing);
  const groups = await findControlGroups();
  const mode: BubblewrapMode = process.getuid?.() === 0 ? "nobody" : "user-namespace";
  const sandbox = createBubblewrap({ program, mode, groups });
  const tried = await sandbox.run({
    command: ["/usr/bin/env", "true"],
    folder: "/tmp",
    mounts: [],
    network: "none",
    limits: { ...sandboxLimits, wallMs: 10_000 },
  });
  if (tried.kind === "exited" && tried.code === 0) return sandbox;
  const failure = (tried.kind === "unavailable" ? tried.why : tried.log).trim().slice(-500);
  const why = `bubblewrap is there, but cannot make a sandbox here: ${failure}`;
  return options.unsafeWithoutSandbox === true ? createUnsafe(why) : createUnavailable(why);
}

/** What a person should know about the sandbox of this machine, in sentences. */
export async function describeSandbox(options: OpenSandbox = {}): Promise<readonly string[]> {
  return (await openSandbox(options)).promises;
}

async function describeMissing(program: string): Promise<string | null> {
  try {
    await run(program, ["--version"], { timeout: 10_000 });
    return null;
  } catch (error) {
    return `bubblewrap (${program}) does not run: ${error instanceof Error ? error.message.split("\n", 1)[0] : ""}. Install it: apt-get install bubblewrap`;
  }
}

function createUnavailable(why: string): Sandbox {
  return {
    promises: [`No builds on this machine. ${why}`],
    run: async () => ({ kind: "unavailable", why, log: "" }),
  };
}

function createUnsafe(why: string): Sandbox {
  return {
    promises: [
      `NO SANDBOX: builds run as this user, with its files and its network, as unsafeWithoutSandbox asks for. ${why}`,
      "Only time and output are limited.",
    ],
    run: runUnsafely,
  };
}
