import type { Name } from "../../core/names.ts";

/**
 * Whether what is marked so was made for whom this is for: the same requirement of the same module on the same node, of the
 * same provider. Its hosts may be others by now: whoever enrolled again is issued everything anew, and finds its data (R46).
 */
export function isMadeFor(marker: ProvisionMarker | null, { provision }: Pick<ProvisionMarker, "provision">): boolean {
  return marker !== null && pairOf(marker.provision) === pairOf(provision);
}

/** An id ends, on both sides, with the incarnation of that side's host. */
function pairOf(provision: string): string {
  const sides = provision.split("@").map((side) => side.slice(0, side.lastIndexOf(".")));
  return sides.join("@");
}

/** What is written on a thing that was made for a consumer, on the thing itself: state files are a cache. */
export interface ProvisionMarker {
  readonly provision: string;
  readonly version: number;
}

export function writeMarker(mesh: Name, { provision, version }: ProvisionMarker): string {
  return `mesh:${mesh}:${provision}:${version}`;
}

/**
 * Reads what `writeMarker` wrote. Null: it is not a marker, or another mesh's or another provider's, and so not ours to
 * touch. A provider that was enrolled again under its name still owns what it made before.
 */
export function readMarker(
  text: string | null,
  owner: { readonly mesh: Name; readonly node: Name; readonly module: Name },
): ProvisionMarker | null {
  const [, mesh, provision, version] = /^mesh:([a-z0-9-]+):(\S+):([1-9][0-9]{0,14})$/.exec(text ?? "") ?? [];
  if (provision === undefined || mesh !== owner.mesh) return null;
  const provider = provision.slice(provision.lastIndexOf("@") + 1);
  if (!provider.startsWith(`${owner.node}.${owner.module}.`)) return null;
  return { provision, version: Number(version) };
}
