import { InputError } from "../core/errors.ts";
import type { Name } from "../core/names.ts";
import type { ExitCode } from "../decide/exit-code.ts";
import { rebuildSet } from "../decide/rebuild-set.ts";
import { type SourceHead, listHeads } from "../store/source-heads.ts";
import type { DryRunDocument } from "./dry-run-document.ts";
import type { KeptRecords } from "./kept-records.ts";
import { loadBuildPlan } from "./load-build-facts.ts";
import { compareTips, type LookWithoutKeeping, seeTips } from "./look-without-keeping.ts";
import { readSurroundings } from "./recorded-surroundings.ts";
import { withSourceless } from "./with-sourceless.ts";

export interface DryRunQuestion extends Omit<LookWithoutKeeping, "kept"> {
  readonly kept: KeptRecords;
  /** Only these are said. Empty: all. */
  readonly names: readonly Name[];
  readonly now: Date;
  readonly lostAfterMs: number;
  readonly answeredBy: DryRunDocument["answeredBy"];
  /** Of `listHeads`, under way. Left out: asked for. */
  readonly heads?: Promise<readonly SourceHead[]>;
}

/**
 * What would be built now, from the sources as they are now and the records; changes neither. The same wherever it is
 * asked: in a command's process, and in a controller's. Throws InputError where nothing was ever compared.
 */
export async function answerDryRun(
  question: DryRunQuestion,
): Promise<{ readonly code: ExitCode; readonly document: DryRunDocument }> {
  const { db, mesh, kept, names, now, lostAfterMs } = question;
  // Sources and records answer at the same time, the records by one connection: another one would have to be made first.
  // What was changed in them meanwhile is read when they are compared.
  const followed = await (question.heads ?? listHeads(db, mesh));
  const seeing = seeTips(question, followed);
  // absence is the answer: it is awaited below; it must only not be unhandled until then
  seeing.catch(() => undefined);
  const surroundings = await readSurroundings(db, mesh, { now, lostAfterMs });
  if (surroundings === null)
    throw new InputError(
      "no controller has compared anything yet, so what it builds with is not known",
      "start the controller (npm start or mesh serve), then mesh build",
    );
  // Where it has read before, it is asked what is new while that is compared with.
  if (kept.lastRead() === null) await kept.read();
  const looked = await compareTips(question, await seeing);
  const { newer, records } = looked;
  const planned = await loadBuildPlan(db, mesh, { ...surroundings, kept, newer, planRecords: records });
  const { facts } = planned;
  const plan = withSourceless(planned.plan, records.modules, newer);
  const asked = new Set(names);
  const isAsked = ({ module }: { readonly module: Name }): boolean => asked.size === 0 || asked.has(module);
  const mayRebuild = rebuildSet(facts, { plan: planned.plan, memory: kept.plans, saidAt: now.toISOString() }).filter(
    isAsked,
  );
  const failing = [...plan.broken, ...plan.unfit]
    .filter(isAsked)
    .map(({ module, kind, why }) => ({ module, kind, why }));
  const cannotTell = [...looked.unread].map(([module, why]) => ({ module, why })).filter(isAsked);
  const announced = new Set(mayRebuild.map(({ module }) => module));
  const later = [
    ...plan.outstanding.map(({ module, why, retryAt }) => ({ module, why, retryAt })),
    ...plan.waiting.flatMap(({ module, why }) => (announced.has(module) ? [] : [{ module, why, retryAt: null }])),
  ].filter(isAsked);
  return {
    code: failing.length > 0 ? 2 : cannotTell.length > 0 ? 3 : mayRebuild.length + later.length > 0 ? 1 : 0,
    document: {
      dryRun: true,
      mayRebuild,
      failing,
      cannotTell,
      later,
      modules: records.modules.length,
      sources: looked.heads,
      readModules: looked.readModules,
      parsedFiles: looked.parsedFiles,
      cachedFiles: looked.cachedFiles,
      answeredBy: question.answeredBy,
    },
  };
}
