import { resolve } from "node:path";
import { InputError } from "../../core/errors.ts";
import type { Name } from "../../core/names.ts";
import { writeAtomically } from "../../embedded/write-atomically.ts";
import { describeRootChange } from "../../link/describe-root.ts";
import { verifyNextRoot } from "../../link/next-root.ts";
import { chooseKey, loadRoleKeys } from "../../link/role-keys.ts";
import { whyExpired, type Root } from "../../link/root.ts";
import type { Queryable } from "../../store/database.ts";
import { getRoot, keepRoot, listRootsAfter } from "../../store/roots.ts";
import type { CommandDefinition } from "../command.ts";
import { readBounded, readRootFile } from "../keys/root-files.ts";
import type { MeshPaths } from "../mesh-setup.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
On the controller's machine. It must be exactly the next version, signed by as many root keys of the present root as that
says, and by as many of its own. From then on the controller signs by it, without a restart, and every host goes on to it
before its next declaration. The root document in keys/ is replaced, too.

Example:
  mesh keys root publish .mesh/keys/root-4.draft`;

export const keysRootPublishCommand: CommandDefinition = {
  configure: (command) => {
    command.argument("<file>", "a root that enough have signed").addHelpText("after", help);
  },
  run: async (call) => {
    const file = resolve(call.context.cwd, String(call.args[0]));
    const bytes = await readBounded(file);
    return await withMesh(call, async ({ db, mesh, paths }) => {
      const have = await readNewest(db, mesh, paths);
      const nowMs = call.context.now().getTime();
      if ((await getRoot(db, mesh, have.version))?.equals(bytes) === true) {
        await writeAtomically(paths.rootDocument, bytes);
        return {
          code: 0,
          document: { version: have.version, changes: [] },
          text: `root ${have.version} is published already`,
        };
      }
      const next = verifyNextRoot(bytes, { have });
      if (!next.ok)
        throw new InputError(
          `${file} is refused (${next.reason}): ${next.message}`,
          "mesh keys root sign adds signatures",
        );
      await checkUsable(next.root, paths, nowMs);
      if (!(await keepRoot(db, mesh, { version: next.root.version, envelope: bytes })))
        throw new InputError(
          `another root ${next.root.version} was published meanwhile`,
          "mesh keys rotate writes one after it",
        );
      // The records first: what a kill leaves is published, and the file follows when this is done again.
      await writeAtomically(paths.rootDocument, bytes);
      const changes = describeRootChange(have, next.root, nowMs);
      return {
        code: 0,
        document: { version: next.root.version, changes },
        text: [
          ...changes,
          `root ${next.root.version} is published: hosts go on to it before their next declaration`,
          "  next: mesh keys show",
        ].join("\n"),
      };
    });
  },
};

/** From the root file of this machine over what was published since. */
async function readNewest(db: Queryable, mesh: Name, paths: MeshPaths): Promise<Root> {
  const first = await readRootFile(paths.rootDocument);
  await keepRoot(db, mesh, { version: first.root.version, envelope: first.bytes });
  let have = first.root;
  for (const { version, envelope } of await listRootsAfter(db, mesh, have.version)) {
    const next = verifyNextRoot(envelope, { have });
    if (!next.ok)
      throw new InputError(`root ${version} in the records is refused: ${next.message}`, "find out who wrote it");
    have = next.root;
  }
  return have;
}

/** A root by which nothing can be signed would stop every delivery. */
async function checkUsable(next: Root, paths: MeshPaths, nowMs: number): Promise<void> {
  const expired = whyExpired(next, nowMs);
  if (expired !== null) throw new InputError(`${expired}: hosts would refuse it`);
  const keys = (await loadRoleKeys(paths.declarationKey)).map(({ key }) => key);
  if (chooseKey(next, "declaration", keys, nowMs) === null)
    throw new InputError(
      `root ${next.version} lists no declaration key that is in ${paths.secrets} and good now: the controller could send nothing`,
      "mesh keys rotate declaration makes one, and a root that lists it",
    );
}
