import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { deflateSync } from "node:zlib";

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

/** An entry of a tree, also one that git's own tools refuse to write. */
export interface TreePart {
  readonly mode: "100644" | "100755" | "120000" | "160000" | "40000";
  readonly name: string | Uint8Array;
  readonly id: string;
}

export async function writeTree(repository: GitRepository, parts: readonly TreePart[]): Promise<string> {
  // As git sorts: a folder as if its name ended with a slash.
  const keyOf = ({ mode, name }: TreePart): Buffer =>
    Buffer.concat([Buffer.from(name), Buffer.from(mode === "40000" ? "/" : "")]);
  const bytes = parts
    .toSorted((a, b) => Buffer.compare(keyOf(a), keyOf(b)))
    .flatMap(({ mode, name, id }) => [
      Buffer.from(`${mode} `),
      Buffer.from(name),
      Buffer.from("\0"),
      Buffer.from(id, "hex"),
    ]);
  return await hashObject(repository, "tree", Buffer.concat(bytes));
}

/** Without git, which starts too slowly for thousands of them. */
export async function hashObject(repository: GitRepository, type: "blob" | "tree", bytes: Uint8Array): Promise<string> {
  const object = Buffer.concat([Buffer.from(`${type} ${bytes.length}\0`), bytes]);
  const id = createHash("sha1").update(object).digest("hex");
  const path = join(repository.dir, ".git", "objects", id.slice(0, 2), id.slice(2));
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, deflateSync(object));
  return id;
}

/** The branch's new tip is this tree. */
export async function commitTree(repository: GitRepository, tree: string): Promise<string> {
  const commit = await repository.git("commit-tree", "-m", "Made by hand", tree);
  await repository.git("update-ref", "refs/heads/main", commit);
  return commit;
}
