import type { Name } from "../core/names.ts";
import type { Consumer, Provision } from "../core/provision.ts";
import { digestValue } from "./digest.ts";

/** Names the pair. A provider that was set up again is another provider: its incarnation is part of the id (case 22). */
export function provisionId(consumer: Consumer, provider: Provision["provider"]): string {
  return `${consumer.node}.${consumer.module}.${consumer.requirement}@${provider.node}.${provider.module}.${provider.incarnation}`;
}

/**
 * Name of the database or vhost, and of its user: one for each (mesh, node, module, requirement), whoever provides it
 * and however often it is issued. A slug for people, eight digits of a hash for uniqueness; at most 63 characters.
 */
export function provisionName(mesh: Name, consumer: Consumer): string {
  const slug = `${consumer.module}_${consumer.requirement}_${consumer.node}`.replaceAll("-", "_").slice(0, 54);
  const hash = digestValue([mesh, consumer.node, consumer.module, consumer.requirement]);
  return `${slug}_${hash.slice("sha256:".length, "sha256:".length + 8)}`;
}
