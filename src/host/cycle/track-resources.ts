import type { Digest } from "../../core/names.ts";
import type { ResourceReport } from "../../core/report.ts";
import type { Resource } from "../../core/resource.ts";
import type { Applied, TrackedResource } from "../state/applied.ts";
import { textOfResource } from "./resource-text.ts";

/** Far more than one machine has had providers of: the oldest of more are not said any more. */
const withdrawnLimit = 100;

/**
 * What is tracked when an apply begins, pure: everything wanted, and everything that may still be there of what was.
 * A resource that stays just as it was keeps that it was applied.
 */
export function beginTracking(before: Applied | null, content: Digest, wanted: readonly Resource[]): Applied {
  const known = new Map((before?.resources ?? []).map((tracked) => [tracked.resource.id, tracked]));
  const ids = new Set(wanted.map(({ id }) => id));
  const resources = wanted.map((resource): TrackedResource => {
    const tracked = known.get(resource.id);
    const stays = tracked !== undefined && isSame(tracked.resource, resource);
    return { resource, applied: stays && tracked.applied };
  });
  const gone = [...known.values()].filter(({ resource }) => !ids.has(resource.id));
  const isBegun = before !== null && before.content === content;
  const withdrawn = (before?.withdrawn ?? []).filter((id) => !ids.has(id));
  return { content, finished: isBegun && before.finished, resources: [...resources, ...gone], withdrawn };
}

/** What is tracked after a pass: what it read back, without what it removed; of removed grants, that nothing is granted. */
export function endTracking(
  tracked: Applied,
  reports: ReadonlyMap<string, ResourceReport>,
  removed: ReadonlySet<string>,
  finished: boolean,
): Applied {
  const resources = tracked.resources
    .filter(({ resource }) => !removed.has(resource.id))
    .map(({ resource, applied }) => ({ resource, applied: applied || reports.get(resource.id)?.state === "applied" }));
  const grants = tracked.resources.filter(({ resource: { kind, id } }) => kind === "grant" && removed.has(id));
  const withdrawn = [...tracked.withdrawn, ...grants.map(({ resource }) => resource.id)].slice(-withdrawnLimit);
  return { content: tracked.content, finished: tracked.finished || finished, resources, withdrawn };
}

/** Whether they say the same, so that nothing is written when nothing has changed. */
export function isSameTracking(a: Applied | null, b: Applied): boolean {
  if (a === null || a.content !== b.content || a.finished !== b.finished) return false;
  if (a.resources.length !== b.resources.length || a.withdrawn.join() !== b.withdrawn.join()) return false;
  return a.resources.every((one, at) => {
    const other = b.resources[at];
    return other !== undefined && one.applied === other.applied && isSame(one.resource, other.resource);
  });
}

function isSame(a: Resource, b: Resource): boolean {
  return a === b || textOfResource(a) === textOfResource(b);
}
