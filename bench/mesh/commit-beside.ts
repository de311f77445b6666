import { spawn } from "node:child_process";
import type { GitRepository } from "../../test/support/git-repository.ts";

/**
 * Commits to the branch, one after the other, by git's plumbing: nothing is written to the work tree, which an add and a
 * commit each go through whole (seconds among 45,000 files), and which the daemons of peers watch. `wrote` is called after
 * each; at the end the work tree is as the last one.
 */
export async function commitBeside(
  repository: GitRepository,
  changes: readonly Record<string, string>[],
  wrote: () => Promise<void>,
): Promise<void> {
  for (const change of changes) {
    for (const [path, text] of Object.entries(change)) {
      const blob = await hashObject(repository.dir, text);
      await repository.git("update-index", "--cacheinfo", `100644,${blob},${path}`);
    }
    const tree = await repository.git("write-tree");
    const commit = await repository.git("commit-tree", "-p", "HEAD", "-m", "Touch it again", tree);
    await repository.git("update-ref", "HEAD", commit);
    await wrote();
  }
  await repository.git("checkout", "HEAD", "--", ...new Set(changes.flatMap(Object.keys)));
}

function hashObject(dir: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn("git", ["hash-object", "-w", "--stdin"], { cwd: dir, stdio: ["pipe", "pipe", "inherit"] });
    let id = "";
    child.stdout.setEncoding("utf8").on("data", (said: string) => void (id += said));
    child.on("error", reject).on("close", (code) => {
      if (code === 0) resolve(id.trim());
      else reject(new Error(`git hash-object ended with ${code}`));
    });
    child.stdin.end(text);
  });
}
