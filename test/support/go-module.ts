import { homedir } from "node:os";
import { join } from "node:path";
import type { BuildBedOptions } from "./build-bed.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

/** What is compiled of Go's own, and fetched, is kept between runs, as a controller keeps it: half a minute of two cores. */
const cache = join(homedir(), ".cache", "mesh-delivery", "test-go");

export async function goOptions(options: BuildBedOptions = {}): Promise<BuildBedOptions> {
  return { language: "go", folders: { work: join(await createTemporaryFolder(), "work"), cache }, ...options };
}

/** The files of a small Go module that publishes `mesh.test/<module>`; more, or others, on top. */
export function goModule(module: string, files: Record<string, string>): Record<string, string> {
  const all: Record<string, string> = {
    "mesh.yaml": `module: ${module}\nlanguage: go\n`,
    "go.mod": `module mesh.test/${module}\n\ngo 1.22\n`,
    ...files,
  };
  return Object.fromEntries(Object.entries(all).map(([path, text]) => [`${module}/${path}`, text]));
}
