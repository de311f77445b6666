import type { Name } from "../core/names.ts";
import type { ResourceOf } from "../core/resource.ts";
import type { ChosenModule } from "./choose-builds.ts";
import { composeFiles } from "./compose-files.ts";
import { composeService } from "./compose-service.ts";
import { serviceId, type ComposedParts, type ModuleParts } from "./module-parts.ts";
import { compareText } from "./short-names.ts";
import type { OwnOffer } from "./work-out-offers.ts";

/** Everything one module is on one node. Ids, paths and edges stay the same for as long as the module does (R32). */
export function composeResources(parts: ModuleParts): ComposedParts {
  const artifact = composeArtifact(parts.chosen);
  const directories = keepsData(parts.chosen) ? [composeDataDirectory(parts.chosen.module)] : [];
  const files = composeFiles(
    parts,
    directories.map((directory) => directory.id),
  );
  const service = composeService(parts, [artifact, ...directories], files.resources);
  const grants = parts.offers.map((offer) => composeGrant(parts, offer, files.resources));
  return {
    resources: [artifact, ...directories, ...files.resources, ...service.resources, ...grants],
    problems: [...files.problems, ...service.problems],
  };
}

function composeArtifact({ module, artifact }: ChosenModule): ResourceOf<"artifact"> {
  const { digest, blob, blobBytes } = artifact;
  return { id: `artifact/${module}/files`, module, after: [], kind: "artifact", digest, blob, blobBytes };
}

/** Only what runs, or serves others, has something to keep. */
function keepsData({ manifest }: ChosenModule): boolean {
  return manifest.service !== undefined || manifest.provides.length > 0;
}

function composeDataDirectory(module: Name): ResourceOf<"directory"> {
  const base = { id: `directory/${module}/data`, module, after: [] };
  return { ...base, kind: "directory", path: `data/${module}`, mode: "750", owner: "service" };
}

/** A pure read of what was issued from this module (R17). */
function composeGrant(
  { chosen, granted }: ModuleParts,
  offer: OwnOffer,
  files: readonly ResourceOf<"file">[],
): ResourceOf<"grant"> {
  const { module, kind, endpoint, admin, adminUser, adminPasswordFile } = offer;
  // A service comes after its files already. Without one nothing else says that its password is written before it is asked
  // for, and removed only when it is not needed any more.
  const settings = adminPasswordFile.includes("${etc}") ? files.filter(({ content }) => content.from === "text") : [];
  return {
    id: `grant/${module}/${kind}`,
    module,
    after: chosen.manifest.service === undefined ? settings.map(({ id }) => id) : [serviceId(module)],
    kind: "grant",
    provider: kind,
    endpoint,
    admin,
    adminUser,
    adminPasswordFile,
    grants: granted
      .filter((provision) => provision.kind === kind)
      .toSorted((a, b) => compareText(a.id, b.id))
      .map(({ id, version, consumer, name }) => ({ provision: id, version, consumer, name })),
  };
}
