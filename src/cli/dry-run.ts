import { join } from "node:path";
import type { CommandCall, CommandResult } from "./command.ts";
import { createImportCache } from "../activities/import-cache.ts";
import { loadBuildPlan } from "../activities/load-build-facts.ts";
import { createKeptRecords } from "../activities/kept-records.ts";
import { compareTips, seeTips } from "../activities/look-without-keeping.ts";
import { createRepositoryPool } from "../activities/repository-pool.ts";
import { InputError } from "../core/errors.ts";
import type { Name } from "../core/names.ts";
import { rebuildSet } from "../decide/rebuild-set.ts";
import type { MeshConnection } from "./mesh-connection.ts";
import type { SourceHead } from "../store/source-heads.ts";
import { readSurroundings } from "./read-surroundings.ts";
import { type DryRunDocument, dryRunText } from "./text/dry-run-text.ts";

/**
 * What would be built now, from the sources as they are now and the records; changes neither, and asks no controller.
 * `heads`: of `listHeads`, which may be under way.
 */
export async function dryRun(
  call: CommandCall,
  { db, mesh, paths, setup }: MeshConnection,
  { names, heads }: { readonly names: readonly Name[]; readonly heads: Promise<readonly SourceHead[]> },
): Promise<CommandResult> {
  const now = call.context.now();
  const { credentials } = setup.settings;
  const kept = createKeptRecords(db, mesh);
  const look = {
    db,
    mesh,
    repositories: createRepositoryPool(join(paths.cache, "dry-run"), { credentials }),
    imports: createImportCache(db),
    kept,
  };
  // Sources and records answer at the same time, the records by one connection: another one would have to be made first.
  // What was changed in them meanwhile is read when they are compared.
  const followed = await heads;
  const seeing = seeTips(look, followed);
  // absence is the answer: it is awaited below; it must only not be unhandled until then
  seeing.catch(() => undefined);
  const surroundings = await readSurroundings({ db, mesh, setup }, now);
  if (surroundings === null)
    throw new InputError(
      "no controller has compared anything yet, so what it builds with is not known",
      "start the controller (npm start or mesh serve), then mesh build",
    );
  await kept.read();
  const looked = await compareTips(look, await seeing);
  const { facts, plan } = await loadBuildPlan(db, mesh, {
    ...surroundings,
    kept,
    newer: looked.newer,
    planRecords: looked.records,
  });
  const isAsked = ({ module }: { readonly module: Name }): boolean => names.length === 0 || names.includes(module);
  const mayRebuild = rebuildSet(facts, { plan, memory: kept.plans, saidAt: now.toISOString() }).filter(isAsked);
  const failing = [...plan.broken, ...plan.unfit]
    .filter(isAsked)
    .map(({ module, kind, why }) => ({ module, kind, why }));
  const cannotTell = [...looked.unread].map(([module, why]) => ({ module, why })).filter(isAsked);
  const announced = new Set(mayRebuild.map(({ module }) => module));
  const later = [
    ...plan.outstanding.map(({ module, why, retryAt }) => ({ module, why, retryAt })),
    ...plan.waiting.flatMap(({ module, why }) => (announced.has(module) ? [] : [{ module, why, retryAt: null }])),
  ].filter(isAsked);
  const document: DryRunDocument = {
    dryRun: true,
    mayRebuild,
    failing,
    cannotTell,
    later,
    modules: looked.records.modules.length,
    sources: looked.heads,
    readModules: looked.readModules,
    parsedFiles: looked.parsedFiles,
    cachedFiles: looked.cachedFiles,
  };
  return {
    code: failing.length > 0 ? 2 : cannotTell.length > 0 ? 3 : mayRebuild.length + later.length > 0 ? 1 : 0,
    document: { ...document },
    // Of a thousand modules it takes a while, and nobody reads it beside a document.
    text: call.options.json === true ? "" : dryRunText(document, now),
  };
}
