import { defineSearchAttributeKey, SearchAttributeType } from "@temporalio/common";

/** What a person finds workflows by. Plain text, never secret; the named nodes only, not the cascade. */
export const meshName = defineSearchAttributeKey("MeshName", SearchAttributeType.KEYWORD);
export const meshPhase = defineSearchAttributeKey("MeshPhase", SearchAttributeType.KEYWORD);
export const meshOutcome = defineSearchAttributeKey("MeshOutcome", SearchAttributeType.KEYWORD);
export const meshModules = defineSearchAttributeKey("MeshModules", SearchAttributeType.KEYWORD_LIST);
export const meshNodes = defineSearchAttributeKey("MeshNodes", SearchAttributeType.KEYWORD_LIST);
