import type { Artifact } from "../core/artifact.ts";
import type { Manifest } from "../core/manifest.ts";
import type { Digest, Name } from "../core/names.ts";
import type { Assignment } from "../core/node.ts";
import type { Hold, Pins, Problem } from "./composition.ts";
import { compareText, shortId } from "./short-names.ts";
import { artifactKey, type World, type WorldArtifact } from "./world.ts";

/** One module that will be on the node, at one build. Its manifest is the one in that build's tree. */
export interface ChosenModule {
  readonly module: Name;
  readonly assignment: Assignment;
  readonly artifact: Artifact;
  readonly manifest: Manifest;
  /** The manifest's defaults with the assignment's values over them. */
  readonly config: Readonly<Record<string, string>>;
}

export interface ChosenBuilds {
  /** Sorted by name. */
  readonly chosen: readonly ChosenModule[];
  readonly problems: readonly Problem[];
  readonly holds: readonly Hold[];
  readonly notes: readonly string[];
}

/** Which build of each assigned module: the newest fit ones, or exactly those it was last sent (R21). */
export function chooseBuilds(world: World, node: Name, pins: Pins): ChosenBuilds {
  const chosen: ChosenModule[] = [];
  const problems: Problem[] = [];
  const holds: Hold[] = [];
  const notes: string[] = [];
  const assignments = (world.assignments.get(node) ?? []).toSorted((a, b) => compareText(a.module, b.module));
  for (const assignment of assignments) {
    const { module } = assignment;
    if (pins.at === "newest") {
      const newest = findNewest(world, module);
      if ("code" in newest) problems.push(newest);
      else chosen.push(choose(assignment, newest));
      continue;
    }
    const build = Object.hasOwn(pins.builds, module) ? pins.builds[module] : undefined;
    if (build === undefined) {
      notes.push(`${module} is assigned to ${node} but was never sent there: \`push ${node}\` sends it`);
      continue;
    }
    const pinned = world.artifacts.get(artifactKey(module, build));
    if (pinned === undefined) holds.push(holdBuild(node, module, build));
    else chosen.push(choose(assignment, pinned));
  }
  return { chosen, problems, holds, notes };
}

function findNewest(world: World, module: Name): WorldArtifact | Problem {
  const known = world.modules.get(module);
  if (known === undefined) {
    return { code: "unknown-module", module, why: `no module ${module} is registered: add it or unassign it` };
  }
  if (known.fit === null) {
    return { code: "no-fit-artifact", module, why: `${module} has no fit build yet: see \`mesh why ${module}\`` };
  }
  const artifact = world.artifacts.get(artifactKey(module, known.fit));
  if (artifact !== undefined) return artifact;
  const why = `the fit build ${shortId(known.fit)} of ${module} is not among the recorded artifacts: build it again`;
  return { code: "no-fit-artifact", module, why };
}

function choose(assignment: Assignment, found: WorldArtifact): ChosenModule {
  const { artifact, manifest } = found;
  return {
    module: assignment.module,
    assignment,
    artifact,
    manifest,
    config: { ...manifest.config, ...assignment.config },
  };
}

function holdBuild(node: Name, module: Name, build: Digest): Hold {
  const why = `${node} was last sent build ${shortId(build)} of ${module}, which can no longer be composed: \`push ${node}\` sends it the newest`;
  return { module, build, why };
}
