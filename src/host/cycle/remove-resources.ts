import type { ResourceReport } from "../../core/report.ts";
import type { Resource } from "../../core/resource.ts";
import { orderResources } from "../../decide/order-resources.ts";
import { cutText, describeFailure } from "../describe-failure.ts";
import type { Log } from "../log.ts";
import { NoAnswerError } from "../providers/no-answer.ts";
import type { Removal } from "../resources/resource-handler.ts";
import { placeOf, type NotRemoved } from "./place-of.ts";

export interface RemoveInput {
  /** What was applied and is not wanted any more, or not at that place (`place-of.ts`). */
  readonly gone: readonly Resource[];
  /** Ids of what is wanted. */
  readonly wanted: ReadonlySet<string>;
  readonly remove: (resource: Resource) => Promise<Removal>;
  readonly redact: (text: string) => string;
  readonly log: Log;
}

export interface Removed {
  readonly places: ReadonlySet<string>;
  /** Tried again at the next pass. */
  readonly left: readonly NotRemoved[];
}

/**
 * Removes what is not wanted any more, the other way round than it was applied. One failure does not stop the rest, but
 * for what that one comes after: a provider whose access cannot be withdrawn keeps its server, its password and its files
 * until it can. Without its server nothing could be withdrawn any more, and what is not revoked must not count as gone.
 */
export async function removeResources(input: RemoveInput): Promise<Removed> {
  const places = new Set<string>();
  const left: NotRemoved[] = [];
  const ordered = orderForRemoval(input.gone);
  const needed = new Set<string>();
  const moot: Moot[] = [];
  for (const [at, resource] of ordered.entries()) {
    if (needed.has(resource.id)) {
      for (const id of resource.after) needed.add(id);
      continue;
    }
    try {
      const removal = await input.remove(resource);
      const words = removal.kind === "kept" ? removal.why : "removed";
      input.log.info("not wanted any more", { resource: resource.id, what: words });
      places.add(placeOf(resource));
    } catch (error) {
      if (isMoot(resource, input.wanted, error)) {
        moot.push({ grant: resource, error });
        // absence is the answer: what becomes of its server says whether this is a failure, below.
        continue;
      }
      for (const id of resource.after) needed.add(id);
      const kept = ordered.slice(at + 1).filter(({ id }) => resource.after.includes(id));
      const why = input.redact(describeFailure(error));
      const what = sayWhat(resource, input.wanted);
      left.push({ resource, report: { id: resource.id, state: "failed", message: sayNotRemoved(what, why, kept) } });
    }
  }
  const staying = new Set(ordered.flatMap((one) => (places.has(placeOf(one)) ? [] : [one.id])));
  for (const one of moot) {
    const report = whyNotMoot(input, one, staying);
    if (report === null) places.add(placeOf(one.grant));
    else left.push({ resource: one.grant, report });
  }
  return { places, left };
}

/** A grant whose server does not answer. */
interface Moot {
  readonly grant: Resource;
  readonly error: unknown;
}

/** Who does not answer now may yet, for as long as its server could not be removed: until then nothing counts as revoked. */
function whyNotMoot(input: RemoveInput, { grant, error }: Moot, staying: ReadonlySet<string>): ResourceReport | null {
  const servers = input.wanted.has(grant.id) ? [] : grant.after.filter((id) => staying.has(id));
  if (servers.length === 0) {
    input.log.warn("its server is away and goes with it: nothing to withdraw from", { resource: grant.id });
    return null;
  }
  const why = cutText(input.redact(describeFailure(error)), 1400);
  const message = cutText(`cannot be removed: ${why} (${servers.join(", ")} is still there)`, 1900);
  return { id: grant.id, state: "failed", message };
}

/** Of what is wanted at another place: which one it is about. */
function sayWhat(resource: Resource, wanted: ReadonlySet<string>): string {
  if (!wanted.has(resource.id)) return "";
  if (resource.kind === "grant") return `what was granted at ${resource.admin} before `;
  return resource.kind === "file" ? `${resource.path}, as it was called before, ` : "";
}

function sayNotRemoved(what: string, why: string, kept: readonly Resource[]): string {
  const words = kept.length === 0 ? "" : ` (until then it keeps ${kept.map(({ id }) => id).join(", ")})`;
  return cutText(`${what}cannot be removed: ${cutText(why, 1400)}${words}`, 1900);
}

/**
 * A provider whose server does not run, and whose service is not wanted either, whether it is removed in this pass or was
 * in an earlier one: nobody can get in any more. Or whose service has another address now, and not this one: what is there
 * is looked at there. Only where nothing came back: a server that refuses the host, or has no time for it, lets others in.
 * One without a service of its own grants on a server that is elsewhere.
 */
function isMoot(resource: Resource, wanted: ReadonlySet<string>, error: unknown): boolean {
  if (resource.kind !== "grant" || !(error instanceof NoAnswerError)) return false;
  const services = resource.after.filter((id) => id.startsWith("service/"));
  return services.length > 0 && (wanted.has(resource.id) || services.every((id) => !wanted.has(id)));
}

function orderForRemoval(gone: readonly Resource[]): readonly Resource[] {
  const known = new Map(gone.map((resource) => [placeOf(resource), resource]));
  const places = new Map<string, readonly string[]>();
  for (const [place, { id }] of known) places.set(id, [...(places.get(id) ?? []), place]);
  const among = [...known].map(([place, resource]) => {
    return { ...resource, id: place, after: resource.after.flatMap((id) => places.get(id) ?? []) };
  });
  const ordered = orderResources(among);
  // Two declarations' remains may wait for each other: then as they came, the last first.
  const chosen = ordered.kind === "ordered" ? ordered.resources : among;
  return chosen.toReversed().flatMap(({ id }) => known.get(id) ?? []);
}
