import { exitCodeOf, type ExitCode } from "../../decide/exit-code.ts";
import type { StatusDocument } from "./build-status.ts";

/** 0 only when every node is settled, every module delivered what its source is, and nothing is owed (R48). */
export function statusCode(
  status: Pick<StatusDocument, "nodes" | "modules" | "owed" | "conditions" | "stopped">,
): ExitCode {
  if (status.stopped !== null) return 2;
  const ofNodes = exitCodeOf(status.nodes);
  const bad = status.modules.some((module) => module.standing === "unfit" || module.standing === "broken");
  if (ofNodes === 2 || bad || status.conditions.some((condition) => condition.urgent)) return 2;
  if (ofNodes === 3) return 3;
  const moves = status.modules.some((module) => module.standing !== "current");
  return ofNodes === 1 || moves || status.owed.length > 0 ? 1 : 0;
}

/** The part of a status that is about one node or module: its own row, and those of the other kind it lives with. */
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
    conditions: status.conditions.filter((condition) => condition.subject.split("/").includes(subject)),
  };
}
