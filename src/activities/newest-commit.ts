import type { ObjectId } from "../core/names.ts";
import type { ModuleToPlan } from "../store/modules-to-plan.ts";

/** What of a module's source is built: its folder, and the packages that are locked for it, there or above. */
export type BuiltSource = Pick<ModuleToPlan, "tree" | "thirdParties">;

/**
 * The newest commit that has this source: an older one may be gone from the remote by now. Null: what is compared now has another
 * source. Of the folder alone it could be the same, and lock other packages.
 */
export function newestCommitOf(
  source: BuiltSource,
  now: (BuiltSource & { readonly sourceCommit: ObjectId | null }) | null,
): ObjectId | null {
  return now?.tree === source.tree && now.thirdParties === source.thirdParties ? now.sourceCommit : null;
}
