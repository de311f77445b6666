import type { ResourceReport } from "../../core/report.ts";
import { cutText } from "../describe-failure.ts";

/** In base64 it and what is around it stay below what the gateway takes. */
const bytesLimit = 5 * 1024 * 1024;
/** Characters of each message, tried one after the other. */
const shorterLimits = [200, 60, 20];

/**
 * The same reports in shorter words, where thousands of resources wait for one and each says why: a report that is more
 * than the gateway takes would never arrive, and the node's account would stay as it was.
 */
export function fitReport(resources: readonly ResourceReport[]): readonly ResourceReport[] {
  let fitting = resources;
  for (const limit of shorterLimits) {
    if (countBytes(fitting) <= bytesLimit) break;
    fitting = resources.map((resource) => shorten(resource, limit));
  }
  return fitting;
}

function countBytes(resources: readonly ResourceReport[]): number {
  return resources.reduce((bytes, resource) => bytes + Buffer.byteLength(JSON.stringify(resource)), 0);
}

function shorten(resource: ResourceReport, limit: number): ResourceReport {
  const { message, drift } = resource;
  const short = { ...resource, message: cutText(message, limit) };
  if (drift === undefined) return short;
  return { ...short, drift: { wanted: cutText(drift.wanted, limit), found: cutText(drift.found, limit) } };
}
