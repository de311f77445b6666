import type { Name } from "../core/names.ts";
import { getAssignment } from "../store/assignments.ts";
import type { MeshConnection } from "./mesh-connection.ts";
import { assignCommandLine } from "./text/assignment-words.ts";

/** As `decide` says it of a key without a value (fill-fields.ts); a test holds the two together. */
const needsValue = /([a-z][a-z0-9-]*) needs a value for ([A-Za-z][A-Za-z0-9]*) on ([a-z][a-z0-9-]*) \(/g;

/**
 * The command that gives the first assignment which lacks values what it lacks, with `VALUE` where a person has to say
 * it; what it has stays. Null: no reason is about a missing value.
 */
export async function findMissingValues(
  { db, mesh }: Pick<MeshConnection, "db" | "mesh">,
  reasons: readonly string[],
): Promise<string | null> {
  const [first, ...others] = listMissingValues(reasons);
  if (first === undefined) return null;
  const assignment = await getAssignment(db, mesh, first);
  if (assignment === null) return null;
  const same = [first, ...others].filter((one) => one.module === first.module && one.node === first.node);
  const missing = Object.fromEntries(same.map(({ key }) => [key, "VALUE"]));
  return assignCommandLine({ ...assignment, config: { ...assignment.config, ...missing } });
}

/** Which keys without a value these sentences are about. */
export function listMissingValues(
  reasons: readonly string[],
): { readonly node: Name; readonly module: Name; readonly key: string }[] {
  return reasons
    .flatMap((reason) => [...reason.matchAll(needsValue)])
    .map(([, module = "", key = "", node = ""]) => ({ node, module, key }));
}
