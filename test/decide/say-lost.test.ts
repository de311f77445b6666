import { describe, expect, it } from "vitest";
import type { BuildFacts, ModuleFacts } from "../../src/decide/build-facts.ts";
import { explainModule } from "../../src/decide/explain-module.ts";
import { buildMeshOfModules, runWave, withModule } from "./support/build-mesh-of-modules.ts";

const problem = "src/index.ts:1: imports @mesh/core, which no module publishes";
const was = "its last fit build was made against core";

/** Both fit; then mid cannot be built, and none of its imports is seen to lead to core. */
function breakMid(parts: Partial<ModuleFacts> = {}): BuildFacts {
  return withModule(runWave(buildMeshOfModules({ core: [], mid: ["core"] })).facts, "mid", {
    problem,
    edges: [],
    ...parts,
  });
}

const why = (facts: BuildFacts): readonly string[] | undefined => explainModule(facts, "mid")?.why;

describe("why a module is broken whose library lost its folder or its name (R6)", () => {
  it("names the library that has no source any more", () => {
    const facts = breakMid();
    const modules = new Map([...facts.modules].filter(([name]) => name !== "core"));
    expect(why({ ...facts, modules })).toEqual([problem, `${was}, which is no module any more, or has no source`]);
  });

  it("names the library that is broken itself", () => {
    expect(why(withModule(breakMid(), "core", { problem: "there is no go.mod" }))).toEqual([
      problem,
      `${was}, which is broken: there is no go.mod`,
    ]);
  });

  it("names the library that is there, and by which name it is published is the question", () => {
    expect(why(breakMid())).toEqual([
      problem,
      `${was}, and no import leads there now: see by which name it is published`,
    ]);
  });

  it("says nothing of a library that its code is seen to import, nor where no import could be read", () => {
    const { edges } = runWave(buildMeshOfModules({ core: [], mid: ["core"] })).facts.modules.get("mid") ?? {};
    expect(edges).toHaveLength(1);
    expect(why(breakMid({ edges: edges ?? [] }))).toEqual([problem]);
    expect(why(breakMid({ language: "" }))).toEqual([problem]);
  });
});
