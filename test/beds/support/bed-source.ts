import { existsSync } from "node:fs";
import { cp, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createGitRepository, type GitRepository } from "../../support/git-repository.ts";

const modules = fileURLToPath(new URL("../modules/", import.meta.url));
const examples = fileURLToPath(new URL("../../../examples/", import.meta.url));

/**
 * A real repository with these modules in it: `from` is a folder of test/beds/modules or of examples, `edit` is given
 * its manifest and its package.json.
 */
export async function createBedSource(
  wanted: readonly { readonly module: string; readonly from: string; readonly edit?: (text: string) => string }[],
): Promise<GitRepository> {
  const repository = await createGitRepository();
  for (const { module, from } of wanted) {
    const source = pick(from);
    await mkdir(join(repository.dir, module), { recursive: true });
    await cp(source, join(repository.dir, module), {
      recursive: true,
      filter: (path) => !/\/(node_modules|dist)(\/|$)/.test(path),
    });
  }
  const edits: Record<string, string> = {};
  for (const { module, edit } of wanted) {
    for (const file of ["mesh.yaml", "package.json"]) {
      const path = join(repository.dir, module, file);
      if (edit !== undefined && existsSync(path)) edits[`${module}/${file}`] = edit(await readFile(path, "utf8"));
    }
  }
  await repository.commit(edits, "Put the modules in");
  return repository;
}

function pick(from: string): string {
  const ours = join(modules, from);
  return existsSync(ours) ? ours : join(examples, from);
}
