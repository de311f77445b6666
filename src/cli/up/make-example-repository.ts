import { existsSync } from "node:fs";
import { cp, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCommand } from "../../embedded/run-command.ts";
import { exampleRepository, type UpParts } from "./up-plan.ts";

export interface ExampleRepository {
  /** Bare: what the controller looks at. */
  readonly origin: string;
  /** Where a person edits, commits and pushes. */
  readonly work: string;
}

/**
 * A real git repository out of `examples/`: a bare one and a work copy of it. Each is made beside its place and renamed
 * when whole, the bare one first; a start that was killed between the two is completed by the next.
 */
export async function makeExampleRepository(parts: UpParts): Promise<ExampleRepository> {
  const origin = join(parts.paths.origin, `${exampleRepository}.git`);
  const work = join(parts.paths.work, exampleRepository);
  await mkdir(parts.paths.origin, { recursive: true });
  await mkdir(parts.paths.work, { recursive: true });
  if (!existsSync(origin)) await makeOrigin(origin);
  if (!existsSync(work)) await makeWorkCopy(origin, work);
  return { origin, work };
}

async function makeOrigin(origin: string): Promise<void> {
  const [half, draft] = [`${origin}.half`, `${origin}.draft`];
  await rm(half, { recursive: true, force: true });
  await rm(draft, { recursive: true, force: true });
  await cp(fileURLToPath(new URL("../../../examples", import.meta.url)), draft, {
    recursive: true,
    filter: (path) => !/\/(node_modules|dist)(\/|$)/.test(path.slice(path.lastIndexOf("/examples"))),
  });
  await git(draft, ["init", "--quiet", "--initial-branch=main"]);
  await setUser(draft);
  await git(draft, ["add", "--all"]);
  await git(draft, ["commit", "--quiet", "--message=Begin with the example modules"]);
  await git(draft, ["clone", "--quiet", "--bare", "--no-hardlinks", draft, half]);
  await git(half, ["remote", "remove", "origin"]);
  await rename(half, origin);
  await rm(draft, { recursive: true, force: true });
}

async function makeWorkCopy(origin: string, work: string): Promise<void> {
  const half = `${work}.half`;
  await rm(half, { recursive: true, force: true });
  await git(origin, ["clone", "--quiet", "--no-hardlinks", origin, half]);
  await setUser(half);
  await rename(half, work);
}

/** Only in this repository: a person without any git settings can commit at once, and nothing of theirs is changed. */
async function setUser(repository: string): Promise<void> {
  await git(repository, ["config", "user.name", "Mesh user"]);
  await git(repository, ["config", "user.email", "user@mesh.invalid"]);
}

async function git(cwd: string, args: readonly string[]): Promise<void> {
  await runCommand("git", args, {
    timeoutMs: 60_000,
    cwd,
    env: {
      PATH: process.env["PATH"],
      HOME: cwd,
      // A person's own templates, hooks and signing are for their commits, not for these.
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_TERMINAL_PROMPT: "0",
    },
  });
}
