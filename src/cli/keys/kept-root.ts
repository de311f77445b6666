import { InputError } from "../../core/errors.ts";
import type { Name } from "../../core/names.ts";
import { verifyNextRoot } from "../../link/next-root.ts";
import { verifyRoot } from "../../link/root.ts";
import type { Queryable } from "../../store/database.ts";
import { listRootsAfter, type RootRecord } from "../../store/roots.ts";

/**
 * The newest root that the records have, each vouched for by the one before; null: they have none, so this mesh never began. It is no
 * more believed than any other: a host goes by the one that it pinned. Throws InputError where one does not follow.
 */
export async function readKeptRoot(db: Queryable, mesh: Name): Promise<Buffer | null> {
  let newest: Buffer | null = null;
  let last = 0;
  for (let some = await listRootsAfter(db, mesh, last); some.length > 0; some = await listRootsAfter(db, mesh, last))
    for (const kept of some) {
      const why = whyNotNext(mesh, newest, kept);
      if (why !== null)
        throw new InputError(
          `the records' root ${kept.version} cannot be used in place of the root document that is gone: ${why}`,
          "restore the folder keys/ from a copy",
        );
      newest = kept.envelope;
      last = kept.version;
    }
  return newest;
}

function whyNotNext(mesh: Name, before: Buffer | null, { envelope }: RootRecord): string | null {
  const root = verifyRoot(envelope, { mesh });
  if (!root.ok) return root.message;
  const have = before === null ? null : verifyRoot(before, { mesh });
  if (have === null || !have.ok) return null;
  const next = verifyNextRoot(envelope, { have: have.root });
  return next.ok ? null : next.message;
}
