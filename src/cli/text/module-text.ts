import type { Assignment } from "../../core/node.ts";
import { sayPlace } from "../../decide/say-edge.ts";
import { listNames } from "../../decide/short-names.ts";
import type { SourceKnowledge } from "../../decide/judge-source.ts";
import type { BuildRecord } from "../../store/builds.ts";
import type { Edge } from "../../store/edges.ts";
import type { ModuleRecord } from "../../store/modules.ts";
import { describeAge } from "./ages.ts";
import { alignColumns } from "./columns.ts";
import { sayLastKnown } from "./last-known.ts";
import { plainLine, plainLines } from "./plain.ts";

export interface ModuleDocument {
  readonly module: ModuleRecord;
  readonly source: SourceKnowledge;
  /** The last look at its own branch; null: none. */
  readonly sourceLookedAt: string | null;
  readonly builtAgainst: readonly Edge[];
  readonly builtInto: readonly Edge[];
  readonly builds: readonly BuildRecord[];
  readonly assignments: readonly Pick<Assignment, "node">[];
}

/** One module for a person: what it is, what it is built against, its builds, where it runs. */
export function moduleText(document: ModuleDocument, now: Date, withLog: boolean): string {
  const { module } = document;
  const facts = [
    ["source", `${module.repository}, branch ${module.branch}, folder ${module.path}`],
    ["commit", commitLine(module, now)],
    ["policy", module.manifest?.upgrade ?? "not known yet"],
    [
      "stands",
      `${module.standing.replaceAll("-", " ")}${module.standingWhy === "" ? "" : `: ${plainLine(module.standingWhy)}`}`,
    ],
    ["seen", `its source ${describeAge(document.sourceLookedAt, now)}: ${plainLine(document.source.why, 240)}`],
    ["compared", describeAge(module.comparedAt, now)],
    ["built against", document.builtAgainst.map(edgeWords).join(", ") || sayNone(module)],
    ["built into", sayNames(document.builtInto.map((edge) => `${edge.module}${sayLastKnown(edge)}`)) || "nothing"],
    ["runs on", sayNames(document.assignments.map((assignment) => assignment.node)) || "no node"],
  ];
  const findings = module.findings.map(
    (finding) => `  ${plainLine(sayPlace(finding), 160)}  ${plainLine(finding.message)}`,
  );
  const builds = document.builds.map((build) => [
    build.commit.slice(0, 7),
    build.inputs.slice(7, 14),
    build.state,
    build.artifact?.slice(7, 19) ?? "-",
    describeAge(build.startedAt, now),
    plainLine(build.message, 160),
  ]);
  const newest = document.builds[0];
  return [
    module.name,
    alignColumns(facts, "  "),
    ...(findings.length === 0 ? [] : ["", "noticed in the source", ...findings]),
    "",
    builds.length === 0
      ? "no builds yet"
      : alignColumns([["COMMIT", "INPUTS", "VERDICT", "ARTIFACT", "STARTED", ""], ...builds]),
    ...(withLog && newest !== undefined
      ? ["", `log of the newest build (its end)`, ...plainLines(newest.logTail).map((line) => `  ${line}`)]
      : []),
    `  next: mesh why ${module.name}`,
  ].join("\n");
}

/** Each once, in one line; a document has all. */
function sayNames(names: readonly string[]): string {
  return listNames([...new Set(names)], 50);
}

function commitLine(module: ModuleRecord, now: Date): string {
  if (module.sourceCommit === null) return "not looked at yet";
  const subject = module.sourceSubject === null ? "" : ` "${plainLine(module.sourceSubject, 80)}"`;
  return `${module.sourceCommit.slice(0, 7)}${subject}${module.sourceCommitAt === null ? "" : `, ${describeAge(module.sourceCommitAt, now)}`}`;
}

function edgeWords(edge: Edge): string {
  return `${edge.dependency} (${edge.kind}, ${plainLine(edge.file, 80)}:${edge.line})${sayLastKnown(edge)}`;
}

/** Of what cannot be read it is not known. */
function sayNone({ standing }: ModuleRecord): string {
  return standing === "broken" ? "nothing that is known while it is broken" : "nothing of this mesh";
}
