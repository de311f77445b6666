import { conditionKinds } from "../core/condition-codes.ts";

const namesOf = new Map(conditionKinds.flatMap(({ code, names }) => (names === undefined ? [] : [[code, names]])));

/** The nodes and modules that a condition is about. None: it is about the mesh, a source, or the controller's machine. */
export function listSubjectNames(condition: { readonly code: string; readonly subject: string }): readonly string[] {
  return namesOf.get(condition.code)?.exec(condition.subject)?.slice(1) ?? [];
}
