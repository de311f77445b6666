import type { Manifest } from "../core/manifest.ts";
import type { ResourceOf } from "../core/resource.ts";
import type { ModuleParts } from "./module-parts.ts";
import type { Problem } from "./composition.ts";
import { fillFields } from "./fill-fields.ts";

const textLimit = 65536;
/** Where a service finds its credentials. */
export const provisionsPath = "provisions.json";
const provisionsWhat = "provisions";
/** No file of a module may be called so: it would sit there, or take that resource's id. */
export const reservedFiles: readonly string[] = [provisionsPath, provisionsWhat];

/** The last part of the id of a file's resource. */
export function whatOfFile(path: string): string {
  return path.replaceAll("/", ".");
}

export interface ComposedFiles {
  readonly resources: readonly ResourceOf<"file">[];
  readonly problems: readonly Problem[];
}

/** The module's settings, and the file with its credentials where it requires something. */
export function composeFiles(parts: ModuleParts, after: readonly string[]): ComposedFiles {
  const { module, manifest } = parts.chosen;
  const resources: ResourceOf<"file">[] = [];
  const problems: Problem[] = [];
  const taken = new Set(reservedFiles);
  for (const file of manifest.files) {
    const what = whatOfFile(file.path);
    if (taken.has(what)) {
      const why = `${module}: the file ${file.path} collides with another of its files, or with its provisions: rename it`;
      problems.push({ code: "bad-config", module, why });
      continue;
    }
    taken.add(what);
    const composed = composeFile(parts, file, after);
    resources.push(composed.resource);
    problems.push(...composed.problems);
  }
  if (parts.references.length > 0) resources.push(composeProvisions(parts, after));
  return { resources, problems };
}

function composeFile(
  { chosen, address }: ModuleParts,
  file: Manifest["files"][number],
  after: readonly string[],
): { readonly resource: ResourceOf<"file">; readonly problems: readonly Problem[] } {
  const { module } = chosen;
  const filled = fillFields(chosen, address, `the file ${file.path}`, { text: file.text }, "keep");
  const { text } = filled.fields;
  const problems = [...filled.problems];
  if (text.length > textLimit) {
    const why = `${module}: the file ${file.path} has ${text.length} characters once filled in, more than ${textLimit}`;
    problems.push({ code: "too-large", module, why });
  }
  const resource: ResourceOf<"file"> = {
    id: `file/${module}/${whatOfFile(file.path)}`,
    module,
    after: [...after],
    kind: "file",
    path: `etc/${module}/${file.path}`,
    mode: file.mode,
    owner: "service",
    content: { from: "text", text },
  };
  return { resource, problems };
}

function composeProvisions({ chosen, references }: ModuleParts, after: readonly string[]): ResourceOf<"file"> {
  const { module } = chosen;
  return {
    id: `file/${module}/${provisionsWhat}`,
    module,
    after: [...after],
    kind: "file",
    path: `etc/${module}/${provisionsPath}`,
    mode: "600",
    owner: "service",
    content: { from: "provisions", references: [...references] },
  };
}
