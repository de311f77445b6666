import type { Manifest } from "../core/manifest.ts";
import type { Resource, ResourceOf } from "../core/resource.ts";
import { serviceId, type ComposedParts, type ModuleParts } from "./module-parts.ts";
import type { Problem } from "./composition.ts";
import { digestValue } from "./digest.ts";
import { fillFields } from "./fill-fields.ts";
import { compareText } from "./short-names.ts";

/** The module's process, when it has one. What it reads decides when it is restarted: nothing else does. */
export function composeService(
  parts: ModuleParts,
  earlier: readonly Resource[],
  files: readonly ResourceOf<"file">[],
): ComposedParts {
  const { chosen, address } = parts;
  const { module, manifest, artifact } = chosen;
  if (manifest.service === undefined) return { resources: [], problems: [] };
  const { command, env } = manifest.service;
  const words = fillFields(chosen, address, "its command", Object.fromEntries(command.entries()));
  const settings = fillFields(chosen, address, "its environment", env);
  const health = fillHealth(parts, manifest.service.health);
  const provisions = files.find((file) => file.content.from === "provisions")?.path;
  const service: ResourceOf<"service"> = {
    id: serviceId(module),
    module,
    after: [...earlier, ...files].map((resource) => resource.id).toSorted(compareText),
    kind: "service",
    artifact: artifact.digest,
    command: command.map((_, at) => words.fields[at] ?? ""),
    env: settings.fields,
    ...(provisions === undefined ? {} : { provisions }),
    restartOn: files.flatMap(restartReasons).toSorted(compareText),
    ...(health.health === undefined ? {} : { health: health.health }),
    presence: presenceOf(manifest),
  };
  return { resources: [service], problems: [...words.problems, ...settings.problems, ...health.problems] };
}

function restartReasons(file: ResourceOf<"file">): string[] {
  if (file.content.from === "text") return [`${file.path}@${digestValue(file.content.text)}`];
  return file.content.references.map(
    ({ provision, version, host, port }) =>
      `${provision}#${version}@${host.includes(":") ? `[${host}]` : host}:${port}`,
  );
}

function presenceOf(manifest: Manifest): ResourceOf<"service">["presence"] {
  return manifest.presence
    .map(({ module, withinSeconds }) => ({ service: serviceId(module), withinSeconds }))
    .toSorted((a, b) => compareText(a.service, b.service) || a.withinSeconds - b.withinSeconds);
}

type Health = NonNullable<ResourceOf<"service">["health"]>;

function fillHealth(
  { chosen, address }: ModuleParts,
  wanted: NonNullable<Manifest["service"]>["health"],
): { readonly health?: Health; readonly problems: readonly Problem[] } {
  if (wanted === undefined) return { problems: [] };
  const templates = Object.fromEntries(
    (["http", "tcp"] as const).flatMap((key) => (wanted[key] === undefined ? [] : [[key, wanted[key]]])),
  );
  const filled = fillFields(chosen, address, "its health check", templates);
  return { health: { ...filled.fields, withinSeconds: wanted.withinSeconds }, problems: filled.problems };
}
