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
  readonly remove: (resource: Resource) => Promise<Removal>;
  readonly redact: (text: string) => string;
  readonly log: Log;
}

export interface Removed {
  readonly ids: ReadonlySet<string>;
  /** What could not be removed, tried again at the next pass. */
  readonly reports: readonly ResourceReport[];
}

/** Removes what is not wanted any more, the other way round than it was applied. One failure does not stop the rest. */
export async function removeResources(input: RemoveInput): Promise<Removed> {
  const ids = new Set<string>();
  const reports: ResourceReport[] = [];
  for (const resource of orderForRemoval(input.gone)) {
    try {
      const removal = await input.remove(resource);
      const words = removal.kind === "kept" ? removal.why : "removed";
      input.log.info("not wanted any more", { resource: resource.id, what: words });
      ids.add(resource.id);
    } catch (error) {
      if (isMoot(resource, input.gone, error)) {
        input.log.warn("its server is away and goes with it: nothing to withdraw from", { resource: resource.id });
        ids.add(resource.id);
        // absence is the answer: there is nothing left to withdraw from, and it was said above.
        continue;
      }
      const message = `cannot be removed: ${cutText(input.redact(describeFailure(error)), 1800)}`;
      reports.push({ id: resource.id, state: "failed", message });
    }
  }
  return { ids, reports };
}

/** A provider whose server does not run, and whose service is removed as well: nobody can get in any more. */
function isMoot(resource: Resource, gone: readonly Resource[], error: unknown): boolean {
  if (resource.kind !== "grant" || !(error instanceof UnavailableError)) return false;
  return gone.some(({ kind, module }) => kind === "service" && module === resource.module);
}

function orderForRemoval(gone: readonly Resource[]): readonly Resource[] {
  const ids = new Set(gone.map(({ id }) => id));
  const among = gone.map((resource) => ({ ...resource, after: resource.after.filter((id) => ids.has(id)) }));
  const ordered = orderResources(among);
  // Two declarations' remains may wait for each other: then as they came, the last first.
  return ordered.kind === "ordered" ? ordered.resources.toReversed() : among.toReversed();
}
