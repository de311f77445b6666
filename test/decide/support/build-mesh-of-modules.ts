import type { Digest, Name, ObjectId } from "../../../src/core/names.ts";
import {
  buildKey,
  type BuildEdge,
  type BuildFacts,
  type LastFit,
  type ModuleFacts,
  type RecordedBuild,
} from "../../../src/decide/build-facts.ts";
import { digestValue } from "../../../src/decide/digest.ts";
import { planBuilds, type PlannedBuild } from "../../../src/decide/plan-builds.ts";
import { reference } from "./build-report.ts";

/** `core` is a build edge, `test:core` a test edge. The n-th edge is at `src/index.ts:n`. */
export type ModuleSpec = Readonly<Record<Name, readonly string[]>>;

/** 40 digits that begin with what a test can read. */
export function objectId(label: string): ObjectId {
  return digestValue(label).slice("sha256:".length, "sha256:".length + 40);
}

export function buildMeshOfModules(spec: ModuleSpec): BuildFacts {
  const modules = new Map<Name, ModuleFacts>();
  for (const [module, imports] of Object.entries(spec)) {
    const edges = imports.map((text, at): BuildEdge => {
      const kind = text.startsWith("test:") ? "test" : "build";
      return { dependency: text.replace("test:", ""), kind, file: "src/index.ts", line: at + 1 };
    });
    const source = { commit: objectId(`${module} commit 1`), tree: objectId(`${module} tree 1`) };
    modules.set(module, {
      module,
      ...source,
      language: "typescript",
      thirdParties: null,
      moved: null,
      settings: {},
      problem: null,
      edges,
      lastFit: null,
    });
  }
  return {
    modules,
    builds: new Map(),
    makers: new Map(),
    toolchains: { typescript: "node 20.20.2, typescript 7.0.2" },
    builders: { typescript: "1" },
    running: new Set(),
    now: reference,
    lostAfterMs: 60_000,
  };
}

export function withModule(facts: BuildFacts, module: Name, parts: Partial<ModuleFacts>): BuildFacts {
  const before = facts.modules.get(module);
  if (before === undefined) throw new Error(`no module ${module} among these`);
  return { ...facts, modules: new Map(facts.modules).set(module, { ...before, ...parts }) };
}

/** A commit that touches the module's folder. */
export function withCommit(facts: BuildFacts, module: Name, commit: number): BuildFacts {
  return withModule(facts, module, {
    commit: objectId(`${module} commit ${commit}`),
    tree: objectId(`${module} tree ${commit}`),
  });
}

export function withRecord(facts: BuildFacts, module: Name, inputs: Digest, parts: Partial<RecordedBuild>): BuildFacts {
  const record: RecordedBuild = {
    state: "building",
    artifact: null,
    message: "",
    startedAt: reference,
    heardAt: reference,
    nextTryAt: null,
    ...parts,
  };
  return { ...facts, builds: new Map(facts.builds).set(buildKey(module, inputs), record) };
}

/** What the artifact is made of: the source as it matters, and what it was built against. */
export type Judge = (build: PlannedBuild) => Partial<RecordedBuild>;

/** Output moves with every input. */
export const fitAndMoved: Judge = ({ closure }) => ({ state: "fit", artifact: digestValue(["artifact", closure]) });

/** A comment was changed: output stays whatever the source is. */
export const fitAndSame: Judge = ({ module }) => ({ state: "fit", artifact: digestValue(["the same", module]) });

/** The build is recorded with its verdict; a fit one becomes the last fit one. */
export function judge(facts: BuildFacts, build: PlannedBuild, by: Judge = fitAndMoved): BuildFacts {
  const verdict = by(build);
  const recorded = withRecord(facts, build.module, build.inputs, verdict);
  if (verdict.state !== "fit" || !verdict.artifact) return recorded;
  const commit = facts.modules.get(build.module)?.commit ?? "";
  const lastFit: LastFit = {
    closure: build.closure,
    commit,
    moved: facts.modules.get(build.module)?.moved ?? null,
    artifact: verdict.artifact,
  };
  return withModule(recorded, build.module, { lastFit });
}

export interface WaveRun {
  readonly facts: BuildFacts;
  readonly built: readonly PlannedBuild[];
}

/** Plans and builds until nothing is ready, one build at a time. Throws when that does not end. */
export function runWave(start: BuildFacts, by: Judge = fitAndMoved): WaveRun {
  let facts = start;
  const built: PlannedBuild[] = [];
  for (let step = 0; step < 200; step += 1) {
    const [next] = planBuilds(facts).ready;
    if (next === undefined) return { facts, built };
    built.push(next);
    facts = judge(facts, next, by);
  }
  throw new Error(
    `still building after 200 builds: ${built
      .slice(-5)
      .map(({ module }) => module)
      .join(", ")}`,
  );
}
