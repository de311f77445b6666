import { UnavailableError } from "../../core/errors.ts";
import type { ResourceReport } from "../../core/report.ts";
import type { Resource } from "../../core/resource.ts";
import { orderResources } from "../../decide/order-resources.ts";
import { cutText, describeFailure } from "../describe-failure.ts";
import type { Log } from "../log.ts";
import type { Removal } from "../resources/resource-handler.ts";

export interface RemoveInput {
  /** What was applied and is not wanted any more. */
  readonly gone: readonly Resource[];
  /** Ids of what is wanted. */
  readonly wanted: ReadonlySet<string>;
  readonly remove: (resource: Resource) => Promise<Removal>;
  readonly redact: (text: string) => string;
  readonly log: Log;
}

export interface Removed {
  readonly ids: ReadonlySet<string>;
  /** What could not be removed, tried again at the next pass. */
  readonly reports: readonly ResourceReport[];
}

/**
 * Removes what is not wanted any more, the other way round than it was applied. One failure does not stop the rest, but
 * for what that one comes after: a provider whose access cannot be withdrawn keeps its server, its password and its files
 * until it can. Without its server nothing could be withdrawn any more, and what is not revoked must not count as gone.
 */
export async function removeResources(input: RemoveInput): Promise<Removed> {
  const ids = new Set<string>();
  const reports: ResourceReport[] = [];
  const ordered = orderForRemoval(input.gone);
  const needed = new Set<string>();
  for (const [at, resource] of ordered.entries()) {
    if (needed.has(resource.id)) {
      for (const id of resource.after) needed.add(id);
      continue;
    }
    try {
      const removal = await input.remove(resource);
      const words = removal.kind === "kept" ? removal.why : "removed";
      input.log.info("not wanted any more", { resource: resource.id, what: words });
      ids.add(resource.id);
    } catch (error) {
      if (isMoot(resource, input.wanted, error)) {
        input.log.warn("its server is away and goes with it: nothing to withdraw from", { resource: resource.id });
        ids.add(resource.id);
        // absence is the answer: there is nothing left to withdraw from, and it was said above.
        continue;
      }
      for (const id of resource.after) needed.add(id);
      const kept = ordered.slice(at + 1).filter(({ id }) => resource.after.includes(id));
      const why = input.redact(describeFailure(error));
      reports.push({ id: resource.id, state: "failed", message: sayNotRemoved(why, kept) });
    }
  }
  return { ids, reports };
}

function sayNotRemoved(why: string, kept: readonly Resource[]): string {
  const words = kept.length === 0 ? "" : ` (until then it keeps ${kept.map(({ id }) => id).join(", ")})`;
  return cutText(`cannot be removed: ${cutText(why, 1400)}${words}`, 1900);
}

/**
 * A provider whose server does not run, and whose service is not wanted either, whether it is removed in this pass or was
 * in an earlier one: nobody can get in any more. One without a service of its own grants on a server that is elsewhere.
 */
function isMoot(resource: Resource, wanted: ReadonlySet<string>, error: unknown): boolean {
  if (resource.kind !== "grant" || !(error instanceof UnavailableError)) return false;
  const services = resource.after.filter((id) => id.startsWith("service/"));
  return services.length > 0 && services.every((id) => !wanted.has(id));
}

function orderForRemoval(gone: readonly Resource[]): readonly Resource[] {
  const known = new Map(gone.map((resource) => [resource.id, resource]));
  const among = gone.map((resource) => ({ ...resource, after: resource.after.filter((id) => known.has(id)) }));
  const ordered = orderResources(among);
  // Two declarations' remains may wait for each other: then as they came, the last first.
  const chosen = ordered.kind === "ordered" ? ordered.resources : among;
  return chosen.toReversed().map((resource) => known.get(resource.id) ?? resource);
}
