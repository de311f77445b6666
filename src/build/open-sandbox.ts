import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { createBubblewrap, type BubblewrapMode } from "./bubblewrap.ts";
import { findControlGroups } from "./cgroup.ts";
import { runUnsafely } from "./run-unsafely.ts";
import { type Sandbox, sandboxLimits } from "./sandbox.ts";

/** Whose builds run as they are where there is no sandbox: nobody's, everybody's, or those of these repositories. */
export type UnsafeRule = boolean | readonly string[];

export interface OpenSandbox {
  /** Without bubblewrap every build is *outstanding*, unless this is set: then builds run as they are. */
  readonly unsafeWithoutSandbox?: boolean;
  /** For tests: another program, or one that is not there. */
  readonly bubblewrap?: string;
}

const run = promisify(execFile);

export interface Sandboxes {
  /** What a module of this repository is built and tested in. */
  readonly sandboxFor: (repository: string) => Sandbox;
  /**
   * What of this reaches the closures of a repository's modules (R8): that they are built without a sandbox. Limits do
   * not: they decide whether there is a verdict, never which.
   */
  readonly settingsFor: (repository: string) => Readonly<Record<string, string>>;
  /** What holds on this machine and what does not, in sentences. */
  readonly promises: readonly string[];
  /** Why builds that the rule allows run without a sandbox; null: none does. */
  readonly unsafe: string | null;
  /** What bounds builds less than the kernel's control groups would; null: nothing, or nothing is built in a sandbox. */
  readonly unlimited: string | null;
}

/** The sandbox of this machine for all, or, where there is none, what the rule says for each repository. */
export async function openSandboxes(
  rule: UnsafeRule,
  options: Pick<OpenSandbox, "bubblewrap"> = {},
): Promise<Sandboxes> {
  const program = options.bubblewrap ?? "bwrap";
  const opened = await tryBubblewrap(program);
  if ("sandbox" in opened) {
    const { sandbox } = opened;
    const { promises } = sandbox;
    return { sandboxFor: () => sandbox, settingsFor: () => ({}), promises, unsafe: null, unlimited: opened.unlimited };
  }
  const [unsafe, unavailable] = [createUnsafe(opened.missing), createAbsent(program, opened.missing)];
  const sandboxFor = (repository: string): Sandbox => (allowsUnsafe(rule, repository) ? unsafe : unavailable);
  const settingsFor = (repository: string) => (allowsUnsafe(rule, repository) ? { sandbox: "none" } : {});
  if (rule === false || (typeof rule === "object" && rule.length === 0))
    return { sandboxFor, settingsFor, promises: unavailable.promises, unsafe: null, unlimited: null };
  const whose = rule === true ? "all repositories" : rule.join(", ");
  return {
    sandboxFor,
    settingsFor,
    promises: [`Without a sandbox, for modules of ${whose}.`, ...unsafe.promises],
    unsafe: `modules of ${whose} are built without a sandbox: ${opened.missing}`,
    unlimited: null,
  };
}

export function allowsUnsafe(rule: UnsafeRule, repository: string): boolean {
  return typeof rule === "boolean" ? rule : rule.includes(repository);
}

/** Finds out what this machine can do, by doing it. Never throws for what the machine lacks. */
export async function openSandbox(options: OpenSandbox = {}): Promise<Sandbox> {
  return (await openSandboxes(options.unsafeWithoutSandbox === true, options)).sandboxFor("");
}

interface TriedSandbox {
  readonly sandbox: Sandbox;
  readonly unlimited: string | null;
}

async function tryBubblewrap(program: string): Promise<TriedSandbox | { readonly missing: string }> {
  const missing = await describeMissing(program);
  if (missing !== null) return { missing };
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
  if (tried.kind === "exited" && tried.code === 0) return { sandbox, unlimited: describeUnlimited(groups) };
  const failure = (tried.kind === "unavailable" ? tried.why : tried.log).trim().slice(-500);
  return { missing: `bubblewrap is there, but cannot make a sandbox here: ${failure}` };
}

/** Exported for tests. */
export function describeUnlimited(groups: { readonly cpu: boolean } | null): string | null {
  if (groups === null)
    return "no control group may be made for builds here: their memory is only watched four times a second, and they take processor time as any program does";
  return groups.cpu ? null : "no control group for processor time may be made here: builds take it as any program does";
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

/** None for now: each build looks for it again, so that installing it is enough. */
function createAbsent(program: string, why: string): Sandbox {
  let found: Sandbox | null = null;
  let missing = why;
  return {
    promises: [`No builds on this machine. ${why}`],
    run: async (asked) => {
      if (found === null) {
        const opened = await tryBubblewrap(program);
        if ("sandbox" in opened) found = opened.sandbox;
        else missing = opened.missing;
      }
      return found === null ? { kind: "unavailable", why: missing, log: "" } : found.run(asked);
    },
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
