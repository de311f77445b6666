import type { Digest } from "../core/names.ts";

/** Of the later builds of a module, one in so many is built twice. */
export const sampleOneIn = 20;

/**
 * Why these inputs are built a second time; null: they are not. The first build of each module, and a sample of the later
 * ones that the digest of the inputs picks: the same one for everybody who asks, and nobody can wait for a better one.
 */
export function whySecondBuild(
  build: { readonly inputs: Digest; readonly isFirst: boolean },
  oneIn: number = sampleOneIn,
): string | null {
  if (build.isFirst) return "it is the first build of its module that is compared";
  const picked = Number.parseInt(build.inputs.slice(-8), 16) % oneIn === 0;
  return picked ? `its inputs are in the sample of one in ${oneIn}` : null;
}
