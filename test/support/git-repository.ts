import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A real repository with a work tree, for tests: written to, committed, cloned from. */
export interface GitRepository {
  readonly dir: string;
  git(...args: string[]): Promise<string>;
  /** Writes these files (null: removes), commits everything, and gives the commit's id. */
  commit(files: Record<string, string | null>, message?: string): Promise<string>;
  link(path: string, target: string): Promise<void>;
  makeExecutable(path: string): Promise<void>;
  remove(): Promise<void>;
}

export async function createGitRepository(): Promise<GitRepository> {
  const dir = await mkdtemp(join(tmpdir(), "mesh-git-"));
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const git = async (...args: string[]): Promise<string> => {
    const { stdout } = await run("git", ["-c", "user.name=Test", "-c", "user.email=test@example.org", ...args], {
      cwd: dir,
      env,
    });
    return stdout.trim();
  };
  await git("init", "--quiet", "--initial-branch=main");
  return {
    dir,
    git,
    commit: async (files, message = "A change") => {
      for (const [path, text] of Object.entries(files)) {
        const target = join(dir, path);
        if (text === null) await rm(target, { recursive: true });
        else {
          await mkdir(dirname(target), { recursive: true });
          await writeFile(target, text);
        }
      }
      await git("add", "--all");
      await git("commit", "--quiet", "--allow-empty", `--message=${message}`);
      return git("rev-parse", "HEAD");
    },
    link: async (path, target) => {
      await mkdir(dirname(join(dir, path)), { recursive: true });
      await symlink(target, join(dir, path));
    },
    makeExecutable: (path) => chmod(join(dir, path), 0o755),
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}
