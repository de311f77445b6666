import { defineSearchAttributeKey, SearchAttributeType } from "@temporalio/common";

/** What a person finds workflows by. Plain text, never secret; the named nodes only, not the cascade. */
export const meshName = defineSearchAttributeKey("MeshName", SearchAttributeType.KEYWORD);
export const meshPhase = defineSearchAttributeKey("MeshPhase", SearchAttributeType.KEYWORD);
export const meshOutcome = defineSearchAttributeKey("MeshOutcome", SearchAttributeType.KEYWORD);
export const meshModules = defineSearchAttributeKey("MeshModules", SearchAttributeType.KEYWORD_LIST);
export const meshNodes = defineSearchAttributeKey("MeshNodes", SearchAttributeType.KEYWORD_LIST);

/** Of one attribute, as JSON. Temporal refuses a start with a longer one, and a workflow's step that asks for such a start. */
const limitBytes = 2048;

/** The first of these names that fit into one attribute; the records have all of them. */
export function firstThatFit(names: readonly string[]): string[] {
  const first: string[] = [];
  let bytes = 2;
  for (const name of names) {
    // Names are ASCII: quotes and a comma around each.
    bytes += name.length + 3;
    if (bytes > limitBytes || first.length === 100) break;
    first.push(name);
  }
  return first;
}
