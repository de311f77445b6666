import type { ResourceReport } from "../../core/report.ts";
import type { Resource } from "../../core/resource.ts";
import type { Conclusion } from "../resources/resource-handler.ts";

export interface GateInput {
  readonly resource: Resource;
  /** What this pass knows about the others. */
  readonly reports: ReadonlyMap<string, ResourceReport>;
  /** How long this resource has been waiting for its presences. */
  readonly waitedMs: number;
}

/** Why a resource cannot be applied now, or null. What it comes after must be there; a presence within its bound (R2). */
export function gateOf({ resource, reports, waitedMs }: GateInput): Conclusion | null {
  for (const id of resource.after) {
    const report = reports.get(id);
    if (report === undefined || report.state === "applied") continue;
    if (report.state === "waiting") return { state: "waiting", message: `waits for ${id}: ${report.message}` };
    return { state: "un-ready", message: `waits for ${id}, which is ${report.state}: ${report.message}` };
  }
  if (resource.kind !== "service") return null;
  for (const { service, withinSeconds } of resource.presence) {
    const report = reports.get(service);
    if (report?.state === "applied") continue;
    const words = report === undefined ? "which is not on this node" : `which is ${report.state}: ${report.message}`;
    if (waitedMs < withinSeconds * 1000) return { state: "waiting", message: `waits for ${service}, ${words}` };
    return { state: "un-ready", message: `has waited ${withinSeconds} s for ${service}, ${words}` };
  }
  return null;
}
