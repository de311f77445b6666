import { describeWave, type WaveProgress } from "../../decide/describe-wave.ts";
import type { ModuleRecord } from "../../store/modules.ts";
import type { SourceLook } from "../judge-looks.ts";
import { describeAge } from "./ages.ts";
import { alignColumns } from "./columns.ts";
import { plainLine } from "./plain.ts";

export interface BuildDocument {
  readonly modules: readonly ({ readonly module: string } & Pick<
    ModuleRecord,
    "standing" | "standingWhy" | "sourceCommit" | "sourceSubject" | "fitArtifact" | "comparedAt"
  >)[];
  /** Modules of the mesh that were asked about, behind or not. */
  readonly registered: number;
  readonly waited: boolean;
  /** The branches that they come from. */
  readonly sources: readonly SourceLook[];
  /** The newest wave; null: there never was one. */
  readonly wave: WaveProgress | null;
}

export function buildText(document: BuildDocument, now: Date): string {
  if (document.modules.length === 0)
    return document.registered === 0
      ? "there are no modules yet\n  next: mesh repo add NAME URL   then   mesh module add NAME --repo REPOSITORY --path FOLDER"
      : ["no module is behind its source", ...lookLines(document, now), `  next: ${sayNext(document)}`].join("\n");
  const rows = document.modules.map((module) => [
    module.module,
    module.sourceCommit?.slice(0, 7) ?? "-",
    module.standing.replaceAll("-", " "),
    module.fitArtifact?.slice(7, 14) ?? "-",
    `compared ${describeAge(module.comparedAt, now)}`,
    plainLine(module.standingWhy === "" ? (module.sourceSubject ?? "") : module.standingWhy, 160),
  ]);
  return [
    alignColumns([["MODULE", "SOURCE", "STANDS", "FIT", "KNOWN", ""], ...rows]),
    ...lookLines(document, now),
    ...(document.wave === null ? [] : [`  ${describeWave(document.wave)}${sayEnd(document.wave, now)}`]),
    `  next: ${sayNext(document)}`,
  ].join("\n");
}

/** What is fit waits for a person, where its policy only records it: a push is what brings it to a machine. */
function sayNext({ modules, sources, waited }: BuildDocument): string {
  const bad = modules.find((module) => module.standing === "unfit" || module.standing === "broken");
  if (bad !== undefined) return bad.standing === "broken" ? `mesh why ${bad.module}` : `mesh log ${bad.module}`;
  const untold = modules.find((module) => module.standing === "cannot-tell");
  const open = modules.find((module) => module.standing !== "current");
  if (untold === undefined && open !== undefined && !waited) return "mesh build --wait";
  const unsettled = untold ?? open;
  if (unsettled !== undefined) return `mesh why ${unsettled.module}`;
  return sources.every(({ look }) => look === "seen") ? "mesh plan NODE   then   mesh push NODE" : "mesh status";
}

/** How its modules came out then: how they stand now is in their rows. */
function sayEnd({ endedAt }: WaveProgress, now: Date): string {
  return endedAt === null ? "" : ` · ended ${describeAge(endedAt, now)}`;
}

/** What is not known of the sources now: the modules stand as their last good tips had them. */
function lookLines({ sources }: BuildDocument, now: Date): string[] {
  return sources.flatMap(({ repository, branch, lookedAt, failingSince, failure, look }) => {
    if (look === "seen") return [];
    const why =
      look === "failing"
        ? `does not answer since ${describeAge(failingSince, now)}: ${plainLine(failure ?? "", 160)}`
        : `was not looked at since; the last look was ${describeAge(lookedAt, now)}`;
    return [`  ${repository} ${branch} ${why}`];
  });
}
