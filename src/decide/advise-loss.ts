import type { Name } from "../core/names.ts";

/** Who needs an artifact whose files are lost. */
export interface LostUse {
  /** The newest fit one of its module. */
  readonly isFit: boolean;
  /** And what its source gives now, so that it is built again by itself. */
  readonly isWanted: boolean;
  /** Nodes that were last sent it. */
  readonly sentTo: readonly Name[];
}

/**
 * What ends the loss of a module's artifacts. No build gives one that is not its source's any more: either nobody needs it
 * any more, or the source goes back to it.
 */
export function adviseLoss(module: Name, uses: readonly LostUse[]): string {
  const superseded = uses.filter(({ isWanted }) => !isWanted);
  if (superseded.length === 0)
    return `nothing: it is built again by itself (mesh build ${module} --again waits for it)`;
  const nodes = [...new Set(superseded.flatMap(({ sentTo }) => sentTo))].toSorted();
  const push = nodes.length === 0 ? null : `mesh push ${nodes.join(" ")}`;
  const newer = superseded.some(({ isFit }) => isFit)
    ? `its source gives another one now (mesh why ${module}): once that is fit, ${push === null ? "nobody needs this one" : `${push} sends it`}`
    : `${push ?? "a push"} sends the newest`;
  return `${newer}; or take the source of ${module} back to what this one was built from: then it is built again by itself; else only a copy of the artifact store has it`;
}
