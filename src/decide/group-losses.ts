import type { Digest, Name } from "../core/names.ts";

/** One artifact of one module. */
interface ArtifactKey {
  readonly module: Name;
  readonly artifact: Digest;
}

export interface GroupedLosses<Lost, Needed> {
  /** By module, in the order given. */
  readonly byModule: ReadonlyMap<Name, readonly { readonly lost: Lost; readonly use: Needed }[]>;
  /** Lost, and nobody needs them any more. */
  readonly unneeded: readonly Lost[];
}

/** No module's name has a space in it. */
export function keyOfArtifact({ module, artifact }: ArtifactKey): string {
  return `${module} ${artifact}`;
}

/**
 * Which of the lost artifacts are needed, module by module. Each is read once: a disk that lost a thousand of them is no
 * reason for the controller to stand still for longer than its lease lasts (R34).
 */
export function groupLosses<Lost extends ArtifactKey, Needed extends ArtifactKey>(
  losses: readonly Lost[],
  needed: readonly Needed[],
): GroupedLosses<Lost, Needed> {
  const uses = new Map(needed.map((use) => [keyOfArtifact(use), use]));
  const byModule = new Map<Name, { lost: Lost; use: Needed }[]>();
  const unneeded: Lost[] = [];
  for (const lost of losses) {
    const use = uses.get(keyOfArtifact(lost));
    const ofModule = byModule.get(lost.module);
    if (use === undefined) unneeded.push(lost);
    else if (ofModule === undefined) byModule.set(lost.module, [{ lost, use }]);
    else ofModule.push({ lost, use });
  }
  return { byModule, unneeded };
}
