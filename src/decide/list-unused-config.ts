import type { Manifest } from "../core/manifest.ts";
import type { ChosenModule } from "./choose-builds.ts";
import { configKeysOf } from "./fill-template.ts";
import { compareText } from "./short-names.ts";

/**
 * Settings of an assignment that nothing in this build reads: said, not refused, because an older build may be composed
 * with settings meant for a newer one.
 */
export function listUnusedConfig({ module, manifest, assignment }: ChosenModule): string[] {
  const known = new Set(listConfigKeys(manifest));
  return Object.keys(assignment.config)
    .filter((key) => !known.has(key))
    .toSorted(compareText)
    .map((key) => `${module} on ${assignment.node} is assigned with ${key}, which this build of it does not read`);
}

/** Every key that a build with this manifest reads: those with a default, and those that its texts name. */
export function listConfigKeys(manifest: Manifest): string[] {
  return [...new Set([...Object.keys(manifest.config), ...listTexts(manifest).flatMap(configKeysOf)])].toSorted(
    compareText,
  );
}

function listTexts({ service, files, provides }: Manifest): string[] {
  return [
    ...(service?.command ?? []),
    ...Object.values(service?.env ?? {}),
    service?.health?.http ?? "",
    service?.health?.tcp ?? "",
    ...files.map((file) => file.text),
    ...provides.flatMap(({ host, port, admin, adminUser, adminPasswordFile }) => [
      host,
      port,
      admin,
      adminUser,
      adminPasswordFile,
    ]),
  ];
}
