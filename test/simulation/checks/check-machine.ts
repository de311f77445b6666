import type { Resource } from "../../../src/core/resource.ts";
import { listGrants, type Machine, textOf } from "../hosts/model-machine.ts";

/**
 * The first thing on a machine that is not as these resources say, in words; null: it has them, each as it should be, and nothing else
 * that was ever made there, but for what no disk knows of.
 */
export function findDifference({ present, granted, strays }: Machine, resources: readonly Resource[]): string | null {
  const wanted = new Set<string>();
  for (const resource of resources) {
    const { id } = resource;
    wanted.add(id);
    if (present.get(id) !== textOf(resource)) return `${id} is not there as it should be`;
    if (resource.kind !== "grant") continue;
    const [are, should] = [(granted.get(id) ?? []).join(", "), listGrants(resource).join(", ")];
    if (are !== should) return `${id} grants ${are || "nothing"}, and should grant ${should || "nothing"}`;
  }
  for (const id of [...present.keys(), ...granted.keys()])
    if (!wanted.has(id) && !strays.has(id)) return `${id} is still there, and should not be`;
  return null;
}
