import type { CommandDefinition } from "../command.ts";
import { loadArtifacts } from "../artifacts/load-artifacts.ts";
import { openKnownStore } from "../artifacts/open-store.ts";
import { collectArtifacts, planCollectionNow } from "../../activities/collect-artifacts.ts";
import { planLeftoversNow, tidyLeftovers, type TidyLeftovers } from "../../activities/tidy-leftovers.ts";
import { expectNotStopped } from "../expect-not-stopped.ts";
import { InputError } from "../../core/errors.ts";
import type { Leftover } from "../../decide/plan-leftovers.ts";
import {
  collectionText,
  defaultGraceHours,
  type CollectionDocument,
  type CollectionRow,
} from "../text/collection-text.ts";
import { withMesh } from "../with-mesh.ts";

const help = `
Shows what would be deleted and why the rest stays; --delete does it. Kept: what is the newest fit of a module, what its
source gives now, what any node was last sent, what a build under way needs, everything those were built against, and what
was built within the grace period. What is collected is marked so in the records: it is built again when it is wanted.

What builds leave behind goes by the bounds of settings.json, by itself once an hour and with --delete now: logs of builds that
are shown nowhere, third-party packages that were used longest ago, clones of what is not registered, work folders of
builds that were killed, and blobs that nothing names. What was used in the last 6 hours stays.

Examples:
  mesh artifact gc
  mesh artifact gc --grace 168 --delete`;

const hourMs = 3_600_000;

export const artifactGcCommand: CommandDefinition = {
  configure: (command) => {
    command
      .option("--delete", "do it; without this nothing is changed")
      .option("--grace <hours>", "what was built later than so many hours ago stays", `${defaultGraceHours}`)
      .addHelpText("after", help);
  },
  run: async (call) => {
    const graceMs = parseHours(call.options["grace"]);
    return await withMesh(call, async (connection) => {
      const { db, mesh, paths, setup } = connection;
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
      const tidy = {
        db,
        mesh,
        folders: paths,
        bounds: setup.settings.leftovers ?? {},
        now: () => call.context.now(),
      };
      const leftovers = await describeLeftovers(tidy, call.options["delete"] === true);
      const document: CollectionDocument = {
        graceHours: graceMs / hourMs,
        leftovers,
        collect: rows(collected?.marked ?? plan.collect),
        keep: rows(plan.keep),
        done:
          collected === null ? null : { blobs: collected.blobs, bytes: collected.bytes, revived: collected.revived },
      };
      return { code: 0, document: { ...document }, text: collectionText(document) };
    });
  },
};

/** After the artifacts: what those named is nobody's then. */
async function describeLeftovers(tidy: TidyLeftovers, isDelete: boolean): Promise<CollectionDocument["leftovers"]> {
  const { remove, keep } = await planLeftoversNow(tidy);
  const done = isDelete ? await tidyLeftovers(tidy) : null;
  return {
    remove: (done?.removed ?? remove).map(({ kind, name, bytes, why }) => ({ kind, name, bytes, why })),
    keep: countByKind(keep),
  };
}

function countByKind(kept: readonly Leftover[]): CollectionDocument["leftovers"]["keep"] {
  const kinds = new Map<Leftover["kind"], { count: number; bytes: number }>();
  for (const { kind, bytes } of kept) {
    const known = kinds.get(kind) ?? { count: 0, bytes: 0 };
    kinds.set(kind, { count: known.count + 1, bytes: known.bytes + bytes });
  }
  return [...kinds].map(([kind, sum]) => ({ kind, ...sum }));
}

function parseHours(value: unknown): number {
  const text = String(value);
  if (!/^\d{1,5}$/.test(text) || Number(text) < 1)
    throw new InputError(`--grace takes whole hours from 1 to 99999: builds and pushes under way need the time`);
  return Number(text) * hourMs;
}
