import type { ResourceReport } from "../../core/report.ts";
import type { Resource } from "../../core/resource.ts";
import { cutText } from "../describe-failure.ts";

/**
 * What is there of a resource, as one text. An id says for what it is, not where: one and the same may be a file of
 * another path, or grants on another server, and what was at the place before is then nobody's and must be removed.
 */
export function placeOf(resource: Resource): string {
  if (resource.kind === "grant") return `${resource.id}\0${resource.admin}`;
  if (resource.kind === "file") return `${resource.id}\0${resource.path}`;
  return resource.id;
}

/** What could not be removed, and what is reported of it. */
export interface NotRemoved {
  readonly resource: Resource;
  readonly report: ResourceReport;
}

/**
 * The report of a resource whose place before could not be removed. What was granted there and is wanted no more counts
 * as there: where it now should be, nobody has heard of it, and that must pay no debt (R20).
 */
export function withPlaceBefore(report: ResourceReport, wanted: Resource, before: NotRemoved): ResourceReport {
  const message = cutText(`${before.report.message}; where it is now: ${report.message}`, 1900);
  const failed: ResourceReport = { ...report, state: "failed", message };
  if (wanted.kind !== "grant" || before.resource.kind !== "grant" || report.provisions === undefined) return failed;
  const known = new Set([...wanted.grants, ...report.provisions].map(({ provision }) => provision));
  const left = before.resource.grants.filter(({ provision }) => !known.has(provision));
  const provisions = left.map(({ provision, version }) => ({ provision, version }));
  return { ...failed, provisions: [...report.provisions, ...provisions] };
}
