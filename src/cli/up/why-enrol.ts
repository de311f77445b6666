import { join } from "node:path";
import { isRecord, readJson } from "../../embedded/read-json.ts";

/** What is known of a host of the examples before the start. */
export interface Enrolled {
  /** By the records; null: none ever enrolled. */
  readonly incarnation: string | null;
  /** Where the host itself calls its controller; null: it did not hear that it was enrolled. */
  readonly place: EnrolledAs | null;
}

export interface GatewayPlace {
  readonly url: string;
  /** The certificate authority that is believed there, PEM. */
  readonly ca: string;
}

export interface EnrolledAs extends GatewayPlace {
  /** Fingerprint of the host's own key. */
  readonly incarnation: string;
}

/**
 * Why a host has to be enrolled, as a sentence's end; null: it is, at the gateway of now. A host that calls another address
 * would never be heard again: the gateway has left that one. One that pins an authority from before is heard until that ends.
 * One whose key is not the one in the records is refused for good: they were restored to before it was enrolled anew.
 */
export function whyEnrol({ incarnation, place }: Enrolled, gateway: GatewayPlace): string | null {
  if (incarnation === null || place === null) return "it was not yet";
  if (place.incarnation !== incarnation)
    return `again: its own key is ${place.incarnation}, and the records have ${incarnation}, as after a restore`;
  if (place.url !== gateway.url) return `again: it calls ${place.url}, and the gateway is at ${gateway.url} now`;
  return place.ca === gateway.ca ? null : "again: the mesh's certificate authority has another certificate now";
}

/** By what the host wrote last as it enrolled. Throws InputError where that is damaged. */
export async function readEnrolledAt(hostFolder: string): Promise<EnrolledAs | null> {
  return await readJson(join(hostFolder, "keys", "enrolment.json"), isEnrolledAs);
}

function isEnrolledAs(value: unknown): value is EnrolledAs {
  return isRecord(value) && ["url", "ca", "incarnation"].every((field) => typeof value[field] === "string");
}
