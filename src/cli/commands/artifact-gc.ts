import type { CommandDefinition } from "../command.ts";
import { loadArtifacts } from "../artifacts/load-artifacts.ts";
import { openKnownStore } from "../artifacts/open-store.ts";
import { collectArtifacts, planCollectionNow } from "../../activities/collect-artifacts.ts";
import { expectNotStopped } from "../expect-not-stopped.ts";
import { InputError } from "../../core/errors.ts";
import { collectionText, type CollectionDocument, type CollectionRow } from "../text/collection-text.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
Shows what would be deleted and why the rest stays; --delete does it. Kept: what is the newest fit of a module, what its
source gives now, what any node was last sent, what a build under way needs, everything those were built against, and what
was built within the grace period. What is collected is marked so in the records: it is built again when it is wanted.

Not collected: logs of builds, third-party packages (the cache folder), clones of repositories. With the controller
stopped, the folders cache and repositories may be removed: they are fetched again.

Examples:
  mesh artifact gc
  mesh artifact gc --grace 168 --delete`;

const hourMs = 3_600_000;

export const artifactGcCommand: CommandDefinition = {
  configure: (command) => {
    command
      .option("--delete", "do it; without this nothing is changed")
      .option("--grace <hours>", "what was built later than so many hours ago stays", "24")
      .addHelpText("after", help);
  },
  run: async (call) => {
    const graceMs = parseHours(call.options["grace"]);
    return await withMesh(call, async (connection) => {
      const { db, mesh } = connection;
      // Records that are behind do not know what hosts were sent since: it would be taken for what nobody needs.
      if (call.options["delete"] === true) await expectNotStopped(connection);
      const { dir } = await openKnownStore(connection);
      const options = { db, mesh, dir, graceMs, now: () => call.context.now() };
      const known = new Map(
        (await loadArtifacts(db, mesh)).map(({ artifact }) => [`${artifact.module}@${artifact.digest}`, artifact]),
      );
      const sizeOf = (one: { readonly module: string; readonly digest: string }): number =>
        known.get(`${one.module}@${one.digest}`)?.blobBytes ?? 0;
      const plan = await planCollectionNow(options);
      const rows = (list: readonly Omit<CollectionRow, "bytes">[]): CollectionRow[] =>
        list.map((one) => ({ ...one, bytes: sizeOf(one) }));
      const collected = call.options["delete"] === true ? await collectArtifacts(options) : null;
      const document: CollectionDocument = {
        collect: rows(collected?.marked ?? plan.collect),
        keep: rows(plan.keep),
        done:
          collected === null ? null : { blobs: collected.blobs, bytes: collected.bytes, revived: collected.revived },
      };
      return { code: 0, document: { ...document }, text: collectionText(document) };
    });
  },
};

function parseHours(value: unknown): number {
  const text = String(value);
  if (!/^\d{1,5}$/.test(text) || Number(text) < 1)
    throw new InputError(`--grace takes whole hours from 1 to 99999: builds and pushes under way need the time`);
  return Number(text) * hourMs;
}
