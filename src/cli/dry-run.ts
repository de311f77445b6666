import { join } from "node:path";
import type { CommandCall, CommandResult } from "./command.ts";
import { answerDryRun } from "../activities/dry-run.ts";
import { createFetchDesk, fetchBounds } from "../activities/fetch-desk.ts";
import { createImportCache } from "../activities/import-cache.ts";
import { createKeptRecords } from "../activities/kept-records.ts";
import { isSourceFailure } from "../activities/look-at-sources.ts";
import { createRepositoryPool } from "../activities/repository-pool.ts";
import type { Name } from "../core/names.ts";
import type { MeshConnection } from "./mesh-connection.ts";
import type { SourceHead } from "../store/source-heads.ts";
import { dryRunText } from "./text/dry-run-text.ts";

/** The work of a dry run, in this process. `heads`: of `listHeads`, which may be under way. */
export async function dryRun(
  call: CommandCall,
  { db, mesh, paths, setup }: MeshConnection,
  { names, heads }: { readonly names: readonly Name[]; readonly heads: Promise<readonly SourceHead[]> },
): Promise<CommandResult> {
  const now = call.context.now();
  const { credentials, cloneBytes, lostAfterMs } = setup.settings;
  const { code, document } = await answerDryRun({
    db,
    mesh,
    kept: createKeptRecords(db, mesh),
    repositories: createRepositoryPool(join(paths.cache, "dry-run"), { credentials, cloneBytes }),
    imports: createImportCache(db),
    fetches: createFetchDesk(fetchBounds, isSourceFailure),
    names,
    heads,
    now,
    lostAfterMs,
    answeredBy: "this process",
  });
  return {
    code,
    document: { ...document },
    // Of a thousand modules it takes a while, and nobody reads it beside a document.
    text: call.options.json === true ? "" : dryRunText(document, now),
  };
}
