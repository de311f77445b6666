import type { Digest } from "../../core/names.ts";
import type { ResourceReport } from "../../core/report.ts";
import type { Resource } from "../../core/resource.ts";
import type { Applied, TrackedResource } from "../state/applied.ts";
import { placeOf } from "./place-of.ts";
import { textOfResource } from "./resource-text.ts";

/** Far more than one machine has had providers of: the oldest of more are not said any more. */
const withdrawnLimit = 100;

/**
 * What is tracked when an apply begins, pure: everything wanted, and everything that may still be there of what was.
 * A resource that stays just as it was keeps that it was applied.
 */
export function beginTracking(before: Applied | null, content: Digest, wanted: readonly Resource[]): Applied {
  const known = new Map((before?.resources ?? []).map((tracked) => [placeOf(tracked.resource), tracked]));
  const ids = new Set(wanted.map(({ id }) => id));
  const places = new Set(wanted.map(placeOf));
  const resources = wanted.map((resource): TrackedResource => {
    const tracked = known.get(placeOf(resource));
    const stays = tracked !== undefined && isSame(tracked.resource, resource);
    return { resource, applied: stays && tracked.applied };
  });
  const gone = [...known.values()].filter(({ resource }) => !places.has(placeOf(resource)));
  const isBegun = before !== null && before.content === content;
  const withdrawn = (before?.withdrawn ?? []).filter((id) => !ids.has(id));
  return { content, finished: isBegun && before.finished, resources: [...resources, ...gone], withdrawn };
}

/**
 * What is tracked after a pass: what it read back, without what it removed; of removed grants, that nothing is granted.
 * `removed`: places. Of an id that has several, the first is the wanted one: the report is about that.
 */
export function endTracking(
  tracked: Applied,
  reports: ReadonlyMap<string, ResourceReport>,
  removed: ReadonlySet<string>,
  finished: boolean,
): Applied {
  const wanted = new Map(tracked.resources.toReversed().map((each) => [each.resource.id, each]));
  const resources = tracked.resources
    .filter(({ resource }) => !removed.has(placeOf(resource)))
    .map((each) => {
      const { resource, applied } = each;
      const isRead = wanted.get(resource.id) === each && reports.get(resource.id)?.state === "applied";
      return { resource, applied: applied || isRead };
    });
  const left = new Set(resources.map(({ resource }) => resource.id));
  const gone = tracked.resources.filter(({ resource: { kind, id } }) => kind === "grant" && !left.has(id));
  const withdrawn = [...new Set([...tracked.withdrawn, ...gone.map(({ resource }) => resource.id)])];
  return {
    content: tracked.content,
    finished: tracked.finished || finished,
    resources,
    withdrawn: withdrawn.slice(-withdrawnLimit),
  };
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
