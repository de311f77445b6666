import { buildAgain, type SecondBuild } from "../../src/build/build-again.ts";
import type { BuildModule, BuiltModule } from "../../src/build/build-module.ts";
import type { Artifact } from "../../src/core/artifact.ts";
import type { BuildBedOptions } from "./build-bed.ts";

/** The first build of a module, which must be fit, and the second as the controller makes it: everything else another. */
export async function buildTwice(
  bed: { build(module: string, options?: BuildBedOptions): Promise<BuiltModule> },
  module: string,
  options: BuildBedOptions = {},
): Promise<{ readonly first: Artifact; readonly second: SecondBuild }> {
  let used: BuildModule | null = null;
  const built = await bed.build(module, { ...options, onOptions: (given) => (used = given) });
  if (built.artifact === null || used === null)
    throw new Error(`${module} is not fit: ${JSON.stringify(built.verdict)}\n${built.logTail}`);
  return { first: built.artifact, second: await buildAgain({ ...(used as BuildModule), first: built.artifact }) };
}
