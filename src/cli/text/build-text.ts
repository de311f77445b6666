import { describeWave, type WaveProgress } from "../../decide/describe-wave.ts";
import type { ModuleRecord } from "../../store/modules.ts";
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
  /** The newest wave; null: there never was one. */
  readonly wave: WaveProgress | null;
}

export function buildText(document: BuildDocument, now: Date): string {
  if (document.modules.length === 0)
    return document.registered === 0
      ? "there are no modules yet\n  next: mesh repo add NAME URL   then   mesh module add NAME --repo REPOSITORY --path FOLDER"
      : "no module is behind its source\n  next: mesh status";
  const rows = document.modules.map((module) => [
    module.module,
    module.sourceCommit?.slice(0, 7) ?? "-",
    module.standing,
    module.fitArtifact?.slice(7, 14) ?? "-",
    `compared ${describeAge(module.comparedAt, now)}`,
    plainLine(module.standingWhy === "" ? (module.sourceSubject ?? "") : module.standingWhy, 160),
  ]);
  const bad = document.modules.find((module) => module.standing === "unfit" || module.standing === "broken");
  const open = document.modules.some((module) => module.standing !== "current");
  const next =
    bad !== undefined
      ? bad.standing === "broken"
        ? `mesh why ${bad.module}`
        : `mesh log ${bad.module}`
      : open && !document.waited
        ? "mesh build --wait"
        : "mesh status";
  return [
    alignColumns([["MODULE", "SOURCE", "STANDS", "FIT", "KNOWN", ""], ...rows]),
    ...(document.wave === null ? [] : [`  ${describeWave(document.wave)}`]),
    `  next: ${next}`,
  ].join("\n");
}
