import type { Digest, Name } from "../../core/names.ts";
import { shortDigest } from "./artifact-text.ts";
import { plainLine } from "./plain.ts";

/** What became of one artifact whose inputs were built again. */
export interface Again {
  readonly module: Name;
  readonly artifact: Digest;
  /** `back`: it was lost. `failed`: nobody can build it again as things are. */
  readonly outcome: "same" | "back" | "differs" | "failed" | "pending";
  readonly why: string;
  /** Sentences, one for each file that differs. */
  readonly files: readonly string[];
}

const shownFiles = 20;

export function againText(again: readonly Again[]): string {
  const lines = again.flatMap(({ module, artifact, outcome, why, files }) => [
    `${module} ${shortDigest(artifact)} ${outcome}: ${plainLine(why, 400)}`,
    ...files.slice(0, shownFiles).map((file) => `  ${plainLine(file, 200)}`),
    ...(files.length > shownFiles ? [`  and ${files.length - shownFiles} more`] : []),
  ]);
  const bad = again.find(({ outcome }) => outcome === "differs" || outcome === "failed");
  const open = again.some(({ outcome }) => outcome === "pending");
  const next = bad !== undefined ? `mesh why ${bad.module}` : open ? "mesh conditions" : "mesh artifact verify --all";
  return [...lines, `  next: ${next}`].join("\n");
}
