import { join } from "node:path";
import { isRecord, readJson } from "../../embedded/read-json.ts";

/** What is known of a host of the examples before the start. */
export interface Enrolled {
  /** By the records; null: none ever enrolled. */
  readonly incarnation: string | null;
  /** Where the host itself calls its controller; null: it did not hear that it was enrolled. */
  readonly at: string | null;
}

/**
 * Why a host has to be enrolled, as a sentence's end; null: it is, at the gateway of now. A host that calls another address
 * would never be heard again: the gateway has left that one.
 */
export function whyEnrol({ incarnation, at }: Enrolled, gateway: string): string | null {
  if (incarnation === null || at === null) return "it was not yet";
  return at === gateway ? null : `again: it calls ${at}, and the gateway is at ${gateway} now`;
}

/** By what the host wrote last as it enrolled. Throws InputError where that is damaged. */
export async function readEnrolledAt(hostFolder: string): Promise<string | null> {
  return (await readJson(join(hostFolder, "keys", "enrolment.json"), hasUrl))?.url ?? null;
}

function hasUrl(value: unknown): value is { readonly url: string } {
  return isRecord(value) && typeof value["url"] === "string";
}
