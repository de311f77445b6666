import { resolve } from "node:path";
import { InputError } from "../../core/errors.ts";
import type { Name } from "../../core/names.ts";
import { writeDurably } from "../../disk/write-durably.ts";
import { renewRoot } from "../../link/find-expiring.ts";
import { describeRootChange } from "../../link/describe-root.ts";
import { verifyNextRoot } from "../../link/next-root.ts";
import { chooseKey, loadRoleKeys } from "../../link/role-keys.ts";
import type { VersionedRoot } from "../../link/root-chain.ts";
import { verifyRoot, whyExpired, type Root } from "../../link/root.ts";
import type { Queryable } from "../../store/database.ts";
import { getRoot, keepRoot, listRootsAfter } from "../../store/roots.ts";
import { rootFolderOf, saveRootFile } from "../../worker/root-folder.ts";
import type { CommandCall, CommandDefinition, CommandResult } from "../command.ts";
import { adviseRefused } from "../keys/advise-refused.ts";
import { fillGaps, type OfferedRoot } from "../keys/fill-gaps.ts";
import { sayCopy } from "../keys/say-copy.ts";
import { readBounded, readRootFile } from "../keys/root-files.ts";
import type { MeshConnection } from "../mesh-connection.ts";
import type { MeshPaths } from "../mesh-setup.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
Where secrets/database-url is. It must be exactly the next version, signed by as many root keys of the present root as that
says, and by as many of its own. From then on the controller signs by it, without a restart, and every host goes on to it
before its next declaration. The root document in keys/ is replaced, too.

A controller with a folder of its own needs the private half of a new key in its secrets/: which file that is, is said. Made over
there (mesh keys rotate), it is not here, and --key-elsewhere says so.

Where the records lack roots that lie between others (the condition root-gap), they are taken, too: all of one gap together,
each vouched for by the one before, and the one after the gap by the last. Files of roots that the records have are passed over
beside another: a draft stays where it was written when it is published.

Examples:
  mesh keys root publish .mesh/keys/root-4.draft
  mesh keys root publish copy/keys/roots/4.dsse copy/keys/roots/5.dsse`;

export const keysRootPublishCommand: CommandDefinition = {
  configure: (command) => {
    command
      .argument("<file...>", "a root that enough have signed; or all that a gap in the records lacks")
      .option("--key-elsewhere", "the controller has a folder of its own, and its new declaration key is there")
      .addHelpText("after", help);
  },
  run: async (call) => {
    const files: string[] = [];
    for (const arg of [call.args[0]].flat()) files.push(resolve(call.context.cwd, String(arg)));
    const offered: OfferedRoot[] = [];
    for (const file of files) offered.push({ file, bytes: await readBounded(file) });
    return await withMesh(call, async ({ db, mesh, paths }) => {
      const first = await readRootFile(paths.rootDocument);
      await keepRoot(db, mesh, { version: first.root.version, envelope: first.bytes });
      const filled = await fillGaps(db, { mesh, offered, folder: rootFolderOf(paths.rootDocument) });
      const words = `root ${filled.join(", ")} is in the records again: hosts go on over it`;
      const { open, done } = await sortOffered(db, mesh, offered);
      if (filled.length > 0 && open.length === 0) {
        const document = { version: Math.max(...filled), changes: [], filled };
        return { code: 0, document, text: `${words}\n  next: mesh conditions` };
      }
      // Before the next one, which may be refused.
      if (filled.length > 0) call.context.stderr.write(`${words}\n`);
      const [one, another] = open.length > 0 ? open : done.slice(0, 1);
      if (one === undefined || another !== undefined)
        throw new InputError(
          "several roots are taken only where the records lack them all",
          "publish the next root alone; mesh conditions names what the records lack",
        );
      const published = await publishNext(call, { db, mesh, paths }, { ...one, first: first.root });
      return filled.length === 0 ? published : { ...published, document: { ...published.document, filled } };
    });
  },
};

/**
 * The drafts of earlier rotations stay where they were written: what the records have, to the byte, is `done`, the newest first.
 * What is no root by itself is `open`: it is refused as the next one, with its reason.
 */
async function sortOffered(
  db: Queryable,
  mesh: Name,
  offered: readonly OfferedRoot[],
): Promise<{ readonly open: readonly OfferedRoot[]; readonly done: readonly OfferedRoot[] }> {
  const open: OfferedRoot[] = [];
  const done: { readonly version: number; readonly one: OfferedRoot }[] = [];
  for (const one of offered) {
    const verified = verifyRoot(one.bytes, { mesh });
    const kept = verified.ok ? await getRoot(db, mesh, verified.root.version) : null;
    if (verified.ok && kept?.equals(one.bytes) === true) done.push({ version: verified.root.version, one });
    else open.push(one);
  }
  return { open, done: done.toSorted((a, b) => b.version - a.version).map(({ one }) => one) };
}

async function publishNext(
  call: CommandCall,
  { db, mesh, paths }: Pick<MeshConnection, "db" | "mesh" | "paths">,
  { file, bytes, first }: OfferedRoot & { readonly first: Root },
): Promise<CommandResult> {
  const newest = await readNewest(db, mesh, first);
  const have = newest.root;
  const nowMs = call.context.now().getTime();
  // Published from another folder: the next rotation in this one begins there.
  if (newest.envelope !== null) await keepFiles(paths, { version: have.version, envelope: newest.envelope });
  if ((await getRoot(db, mesh, have.version))?.equals(bytes) === true) {
    await keepFiles(paths, { version: have.version, envelope: bytes });
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
      adviseRefused(bytes, next.reason, have),
    );
  await checkUsable(next.root, { paths, nowMs, key: call.options["keyElsewhere"] === true ? "elsewhere" : "here" });
  if (!(await keepRoot(db, mesh, { version: next.root.version, envelope: bytes })))
    throw new InputError(
      `another root ${next.root.version} was published meanwhile`,
      "mesh keys rotate writes one after it",
    );
  // The records first: what a kill leaves is published, and the files follow when this is done again, or by the controller.
  await keepFiles(paths, { version: next.root.version, envelope: bytes });
  const changes = describeRootChange(have, next.root, nowMs);
  return {
    code: 0,
    document: { version: next.root.version, changes },
    text: [
      ...changes,
      `root ${next.root.version} is published: hosts go on to it before their next declaration`,
      ...(await sayCopies(have, next.root, paths)),
      "  next: mesh conditions",
    ].join("\n"),
  };
}

async function keepFiles({ rootDocument }: MeshPaths, root: VersionedRoot): Promise<void> {
  await saveRootFile(rootFolderOf(rootDocument), root);
  await writeDurably(rootDocument, root.envelope, { mode: 0o644 });
}

/** From the root file of this machine over what was published since. `envelope`: of the last of those; null: there is none. */
async function readNewest(
  db: Queryable,
  mesh: Name,
  first: Root,
): Promise<{ readonly root: Root; readonly envelope: Buffer | null }> {
  let have = first;
  let last: Buffer | null = null;
  for (const { version, envelope } of await listRootsAfter(db, mesh, have.version)) {
    const next = verifyNextRoot(envelope, { have });
    if (!next.ok && next.reason === "gap")
      throw new InputError(
        `the records have root ${version}, and not root ${have.version + 1}: nothing can be published after it`,
        `mesh keys root publish with all from root ${have.version + 1} to ${version - 1} (see mesh conditions)`,
      );
    if (!next.ok)
      throw new InputError(`root ${version} in the records is refused: ${next.message}`, "find out who wrote it");
    have = next.root;
    last = envelope;
  }
  return { root: have, envelope: last };
}

/** A root by which nothing can be signed would stop every delivery. */
async function checkUsable(
  next: Root,
  { paths, nowMs, key }: { readonly paths: MeshPaths; readonly nowMs: number; readonly key: "here" | "elsewhere" },
): Promise<void> {
  const expired = whyExpired(next, nowMs);
  if (expired !== null)
    throw new InputError(
      `${expired}: hosts would refuse what is sent by it`,
      `remove the draft (rm), then ${renewRoot}`,
    );
  const keys = (await loadRoleKeys(paths.declarationKey)).map((one) => one.key);
  if (key === "here" && chooseKey(next, "declaration", keys, nowMs) === null)
    throw new InputError(
      `root ${next.version} lists no declaration key that is in ${paths.secrets} and good now: the controller could send nothing`,
      "where the controller has a folder of its own and the key is in its secrets/: --key-elsewhere; else mesh keys rotate declaration makes one, and a root that lists it",
    );
}

/** Which files a controller with a folder of its own needs, of the keys that are new in this root. */
async function sayCopies(have: Root, next: Root, paths: MeshPaths): Promise<string[]> {
  const here = [...(await loadRoleKeys(paths.declarationKey)), ...(await loadRoleKeys(paths.provenanceKey))];
  const isNew = (publicKey: string): boolean =>
    next.keys.some((key) => key.publicKey === publicKey) && !have.keys.some((key) => key.publicKey === publicKey);
  return here.flatMap(({ file, key }) => (isNew(key.publicKey) ? [sayCopy(file)] : []));
}
