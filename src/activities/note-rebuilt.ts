import type { Digest, Name } from "../core/names.ts";
import { shortId } from "../decide/short-names.ts";
import { findLostOf } from "../store/artifact-doubts.ts";
import { observeCondition } from "../store/conditions.ts";
import type { Queryable } from "../store/database.ts";

/**
 * What was built again because its artifact was lost came out fit. Another content than before is said: it takes the
 * lost one's place, and what is built against it is built again.
 */
export async function noteRebuilt(
  db: Queryable,
  mesh: Name,
  { module, inputs, artifact }: { readonly module: Name; readonly inputs: Digest; readonly artifact: Digest },
): Promise<void> {
  const lost = await findLostOf(db, mesh, module, inputs);
  if (lost === null || lost === artifact) return;
  await observeCondition(db, mesh, {
    code: "not-reproducible",
    subject: module,
    message:
      `${module} is not reproducible: built again from the same inputs, because its artifact ${shortId(lost)} was lost, ` +
      `it came out as ${shortId(artifact)}; which files differ cannot be said, for the first ones are gone`,
    remedy: `keep clocks, random numbers and the order of things out of what it writes: mesh build ${module} --again names the files`,
    urgent: false,
  });
}
