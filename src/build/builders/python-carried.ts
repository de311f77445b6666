import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { nameSchema } from "../../core/names.ts";
import { type BuildJob, type Judged, outstanding, unfit } from "./builder.ts";
import { readRecordPaths, readWheelFiles, type WheelFile, writeWheel } from "./python-wheel.ts";

/** In every Python artifact: what its `lib/` is made of, for whoever is built against it. */
export const descriptionFile = "mesh-python.json";

const distributionSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/),
  version: z.string().regex(/^[0-9A-Za-z.!+_-]+$/),
  /** Its folder in `lib/`. */
  info: z.string().regex(/^[A-Za-z0-9_.!+-]+\.dist-info$/),
  from: z.enum(["own", "module", "third-party"]),
  /** Whose it is. */
  module: nameSchema.nullable(),
});
export type Distribution = z.infer<typeof distributionSchema>;

const descriptionSchema = z.strictObject({
  version: z.literal(1),
  python: z.string().regex(/^3\.\d+$/),
  distributions: z.array(distributionSchema),
});
export type ArtifactDescription = z.infer<typeof descriptionSchema>;

export interface Carried extends Distribution {
  readonly use: "build" | "test";
  /** Which dependency brings it. */
  readonly by: string;
  readonly record: string;
  readonly lib: string;
}

/**
 * Everything that the artifacts of the closure bring: what they publish, and what they themselves were built against.
 * A closure names direct dependencies only, so the rest is carried inside of them; two that carry different builds of
 * one module are never mixed.
 */
export async function gatherCarried(job: BuildJob, minor: string, own: string): Promise<readonly Carried[] | Judged> {
  const found = new Map<string, Carried>();
  // Build dependencies first: what only tests need gives way to nothing, but is never in the artifact by chance.
  const sorted = [...job.dependencies].toSorted((a, b) =>
    a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : a.module < b.module ? -1 : 1,
  );
  for (const { module, kind, folder } of sorted) {
    const text = await readFile(join(folder, descriptionFile), "utf8");
    const description = descriptionSchema.parse(JSON.parse(text));
    if (description.python !== minor)
      return outstanding("dependency", `${module} was built for Python ${description.python}, and this is ${minor}`);
    for (const one of description.distributions) {
      if (one.name === own) {
        if (kind === "test") continue;
        return unfit("compile", `${module} brings the distribution ${own}, which this module is itself`);
      }
      const lib = join(folder, "lib");
      const record = await readFile(join(lib, one.info, "RECORD"), "utf8");
      const from = one.from === "third-party" ? one.from : "module";
      const carried: Carried = { ...one, from, module: one.module ?? null, use: kind, by: module, record, lib };
      const known = found.get(one.name);
      if (known === undefined) found.set(one.name, carried);
      else if (known.record !== record) return describeMix(known, carried);
    }
  }
  return [...found.values()];
}

function describeMix(known: Carried, other: Carried): Judged {
  const both = `${known.by} carries ${known.name} ${known.version}, and ${other.by} carries ${other.version}`;
  if (known.from === "third-party" || other.from === "third-party")
    return unfit("compile", `${both}: lock one version of it in both modules`);
  return outstanding("dependency", `${both}: they are never mixed; this waits until both are built against one`);
}

/** As a wheel again, byte for byte what the artifact holds. Answers its line of requirements. */
export async function assembleWheel(one: Carried, folder: string): Promise<string> {
  const files = await readWheelFiles(one.lib, readRecordPaths(one.record));
  return writeRequirement(folder, one, files);
}

export async function writeRequirement(
  folder: string,
  { name, version }: Pick<Distribution, "name" | "version">,
  files: readonly WheelFile[],
): Promise<string> {
  const wheel = files.find(({ path }) => path.endsWith(".dist-info/WHEEL"))?.bytes.toString("utf8") ?? "";
  // It becomes part of a path out here, and whoever made the wheel wrote it: only what a tag may be is one.
  const tags = [...wheel.matchAll(/^Tag:[ \t]*([\w.]+-[\w.]+-[\w.]+)[ \t]*\r?$/gm)].map(([, tag]) => tag ?? "");
  const tag = tags.find((one) => one.startsWith("py3-")) ?? tags[0] ?? "py3-none-any";
  const sha = await writeWheel(join(folder, `${name.replaceAll("-", "_")}-${version}-${tag}.whl`), files);
  return `${name}==${version} --hash=sha256:${sha}`;
}
