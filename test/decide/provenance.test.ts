import { describe, expect, it } from "vitest";
import type { Closure } from "../../src/core/artifact.ts";
import { digestValue } from "../../src/decide/digest.ts";
import { compareStatement, makeStatement, type RecordedStory } from "../../src/decide/provenance.ts";

const hex = (digit: string): string => `sha256:${digit.repeat(64)}`;
const closure: Closure = {
  module: "page",
  language: "typescript",
  tree: "a".repeat(40),
  dependencies: { core: hex("c") },
  toolchain: "node 20",
  builder: "typescript-1",
  thirdParties: null,
  settings: { strict: "yes" },
};
const artifact = { module: "page", digest: hex("1"), blob: hex("2") };
const recorded: RecordedStory = {
  mesh: "demo",
  artifact,
  inputs: digestValue(closure),
  closure,
  commit: "b".repeat(40),
};
const statement = makeStatement({
  mesh: "demo",
  artifact,
  closure,
  source: { url: "file:///r", branch: "main", path: "page", commit: recorded.commit },
  builderVersion: "1",
  invocationId: "x",
  startedOn: "2026-03-01T11:00:00.000Z",
  finishedOn: "2026-03-01T11:01:00.000Z",
});

describe("a statement against the records", () => {
  it("that says the same has no differences", () => {
    expect(compareStatement(statement, recorded)).toEqual([]);
  });

  it.each<readonly [string, Partial<RecordedStory>, RegExp]>([
    ["another artifact's content", { artifact: { ...artifact, digest: hex("3") } }, /about content 1+, .* 3+/],
    ["other bytes", { artifact: { ...artifact, blob: hex("3") } }, /about bytes/],
    ["another module", { artifact: { ...artifact, module: "site" } }, /about module page, the records say site/],
    ["another commit", { commit: "c".repeat(40) }, /names as source/],
    ["another tree", { closure: { ...closure, tree: "b".repeat(40) } }, /names as source/],
    ["another dependency", { closure: { ...closure, dependencies: { core: hex("e") } } }, /names as artifact:core/],
    ["one dependency more", { closure: { ...closure, dependencies: {} } }, /lists inputs 2, the records say 1/],
    ["third parties left out", { closure: { ...closure, thirdParties: hex("f") } }, /names as third-parties nothing/],
    ["another toolchain", { closure: { ...closure, toolchain: "node 22" } }, /toolchain node 20, .* node 22/],
    ["other rules", { closure: { ...closure, builder: "typescript-2" } }, /rules/],
    ["other settings", { closure: { ...closure, settings: {} } }, /settings/],
    ["another language", { closure: { ...closure, language: "go" } }, /language/],
    ["other inputs", { inputs: hex("9") }, /inputs/],
    ["another mesh", { mesh: "other" }, /builder/],
  ])("that is about %s says so", (_what, changes, message) => {
    const differences = compareStatement(statement, { ...recorded, ...changes });
    expect(differences.join("\n")).toMatch(message);
  });
});
