import { listSubjectNames } from "../../decide/condition-names.ts";
import { exitCodeOf, type ExitCode } from "../../decide/exit-code.ts";
import type { SituationWord } from "../../decide/situation.ts";
import type { StatusDocument, StatusModule } from "./build-status.ts";

/**
 * 0 only when every node is settled, every module is what its source is and applied wherever it is to run, nothing is owed,
 * and all of that is known of now (R48).
 */
export function statusCode(
  status: Pick<StatusDocument, "controller" | "subject" | "nodes" | "modules" | "owed" | "conditions" | "stopped">,
): ExitCode {
  if (status.stopped !== null) return 2;
  const ofNodes = exitCodeOf(status.nodes);
  const bad = status.modules.some((module) => module.standing === "unfit" || module.standing === "broken");
  if (ofNodes === 2 || bad || status.conditions.some((condition) => condition.urgent)) return 2;
  // Of the whole mesh its nodes say it.
  const ofModules = status.subject === undefined ? 0 : exitCodeOf(status.modules.flatMap(openWords));
  if (ofModules === 2) return 2;
  const isStale = status.modules.some(
    ({ standing, sourceStale }) => standing === "cannot-tell" || (standing === "current" && sourceStale),
  );
  if (ofNodes === 3 || ofModules === 3 || isStale || !isWatched(status)) return 3;
  const moves = status.modules.some(
    ({ standing, sourceKnown }) => standing !== "current" || sourceKnown === "comparing",
  );
  return ofNodes === 1 || ofModules === 1 || moves || status.owed.length > 0 ? 1 : 0;
}

/**
 * Without a controller nobody looks and nobody hears hosts: whatever is on record may be over. As `mesh conditions`. Of an
 * empty mesh there is nothing to look at.
 */
function isWatched({ controller, modules, nodes }: Pick<StatusDocument, "controller" | "modules" | "nodes">): boolean {
  if (modules.length + nodes.length === 0) return true;
  return controller.runs && controller.role === "controller";
}

/** What keeps a module from being applied on its nodes. One that read it back may fail in something else, but not be silent. */
function openWords({ runsOn }: StatusModule): { readonly word: SituationWord }[] {
  return runsOn.flatMap(({ word, applied }): { readonly word: SituationWord }[] => {
    if (word === "silent" || word === "cannot-tell") return [{ word }];
    return applied ? [] : [{ word: word === "current" ? "outstanding" : word }];
  });
}

/** The part of a status that is about one node or module: its own row, and what is owed and open about it. */
export function narrowStatus(status: StatusDocument, subject: string): StatusDocument | null {
  const nodes = status.nodes.filter((node) => node.node === subject);
  const modules = status.modules.filter((module) => module.module === subject);
  if (nodes.length === 0 && modules.length === 0) return null;
  return {
    ...status,
    subject,
    nodes,
    modules,
    owed: status.owed.filter((debt) => debt.node === subject || debt.what.includes(` ${subject} `)),
    conditions: status.conditions.filter((condition) => listSubjectNames(condition).includes(subject)),
  };
}
