import type { Name } from "../core/names.ts";
import type { Consumer, Provision } from "../core/provision.ts";
import { digestValue } from "./digest.ts";

/**
 * Names the pair. Whoever was set up again is somebody else, so both incarnations are part of the id: a provider at a
 * new address shares no old credentials (case 22), and what was sealed to a consumer's old host is issued anew (R46).
 */
export function provisionId(consumer: Consumer, consumerIncarnation: string, provider: Provision["provider"]): string {
  const from = `${consumer.node}.${consumer.module}.${consumer.requirement}.${consumerIncarnation}`;
  return `${from}@${provider.node}.${provider.module}.${provider.incarnation}`;
}

/** The node it was issued to. */
export function consumerNodeOf(id: string): Name {
  return id.slice(0, id.indexOf("."));
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
