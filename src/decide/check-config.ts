import type { Manifest } from "../core/manifest.ts";
import { configKeysOf } from "./fill-template.ts";
import { listConfigKeys } from "./list-unused-config.ts";
import { compareText } from "./short-names.ts";

export interface CheckedConfig {
  /** Keys that none of the manifests reads. */
  readonly unknown: readonly string[];
  /** Values that cannot be a port, where the key is used as one. */
  readonly noPorts: readonly { readonly key: string; readonly value: string }[];
  /** All keys that are read. */
  readonly known: readonly string[];
}

/**
 * What a person sets, against the manifests that may be composed with it: that of the newest source, and that of the newest
 * fit build. A key that one of them reads is known.
 */
export function checkConfig(config: Readonly<Record<string, string>>, manifests: readonly Manifest[]): CheckedConfig {
  const known = [...new Set(manifests.flatMap(listConfigKeys))].toSorted(compareText);
  const ports = new Set(manifests.flatMap(listPortKeys));
  const given = Object.entries(config).toSorted(([a], [b]) => compareText(a, b));
  return {
    unknown: given.map(([key]) => key).filter((key) => !known.includes(key)),
    noPorts: given.flatMap(([key, value]) => (ports.has(key) && !isPort(value) ? [{ key, value }] : [])),
    known,
  };
}

/** Keys that a build with this manifest needs a value for, and has none: the node is *not worked out* then. Sorted. */
export function listMissingConfig(config: Readonly<Record<string, string>>, manifest: Manifest): string[] {
  return listConfigKeys(manifest).filter((key) => !Object.hasOwn(config, key) && !Object.hasOwn(manifest.config, key));
}

function isPort(text: string): boolean {
  return /^[1-9][0-9]{0,4}$/.test(text) && Number(text) <= 65_535;
}

/** Keys that stand where only a port can: behind the colon of an address, as an offer's port, in a variable named PORT. */
function listPortKeys({ service, provides }: Manifest): string[] {
  const whole = [
    ...provides.map(({ port }) => port),
    ...Object.entries(service?.env ?? {}).flatMap(([name, text]) => (/(^|_)PORT$/.test(name) ? [text] : [])),
  ].filter((text) => /^\$\{config\.[^{}]*\}$/.test(text));
  const addresses = [service?.health?.http ?? "", service?.health?.tcp ?? "", ...provides.map(({ admin }) => admin)];
  const behindColon = addresses.flatMap((text) => text.match(/:\$\{config\.[^{}]*\}(?=$|[/?#])/g) ?? []);
  return [...whole, ...behindColon].flatMap(configKeysOf);
}
