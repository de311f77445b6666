import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import * as code from "./planted-code.ts";
import { passedByLayers, refusedByLayers } from "./planted-layers.ts";
import { passedAsKept, refusedAsLost } from "./planted-errors.ts";
import type { Planted } from "./planted.ts";
import * as repository from "./repository.ts";
import { emptyResultRule } from "./rules/empty-result-rule.ts";
import { lostErrorRule } from "./rules/lost-error-rule.ts";
import { layerRule } from "./rules/layer-rule.ts";
import { pureRule } from "./rules/pure-rule.ts";
import { shapeRule } from "./rules/shape-rule.ts";
import { readSource, type Finding, type Rule } from "./source-file.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const paths = repository.listFiles(root);
const read = repository.readText(root);
const sources = paths
  .filter((path) => /^((src|test|bench)\/.*\.ts|bin\/.*\.js)$/.test(path) && !path.includes("/planted/"))
  .map((path) => readSource(path, read(path)));

const say = (findings: readonly Finding[]): readonly string[] =>
  findings.map((one) => `${one.path}:${one.line} ${one.rule}: ${one.message}`);

const families: readonly {
  name: string;
  rule: Rule;
  refused: readonly Planted[];
  passed: readonly Planted[];
}[] = [
  { name: "layers", rule: layerRule, refused: refusedByLayers, passed: passedByLayers },
  { name: "no clock and no chance", rule: pureRule, refused: code.refusedAsImpure, passed: code.passedAsPure },
  {
    name: "no error becomes an empty result (R42)",
    rule: emptyResultRule,
    refused: code.refusedAsEmptyResults,
    passed: code.passedAsResults,
  },
  {
    name: "no error is lost beside a catch (R42)",
    rule: lostErrorRule,
    refused: refusedAsLost,
    passed: passedAsKept,
  },
  { name: "shape", rule: shapeRule, refused: code.refusedByShape, passed: code.passedByShape },
];

/** A case as it is written, and in the other quote style. */
function bothQuotes(one: Planted): readonly (readonly [string, string])[] {
  const single = one.text.includes("'") ? one.text : one.text.replaceAll('"', "'");
  return [
    [`${one.situation}, double quotes`, one.text],
    [`${one.situation}, single quotes`, single],
  ];
}

for (const { name, rule, refused, passed } of families) {
  describe(name, () => {
    for (const one of refused) {
      it.each(bothQuotes(one))("refuses: %s", (_, text) => {
        expect(rule(readSource(one.path, text))).not.toEqual([]);
      });
    }
    for (const one of passed) {
      it.each(bothQuotes(one))("lets pass: %s", (_, text) => {
        expect(say(rule(readSource(one.path, text)))).toEqual([]);
      });
    }
    it("holds in the whole repository", () => {
      expect(say(sources.flatMap((file) => rule(file)))).toEqual([]);
    });
  });
}

describe("the repository", () => {
  it("has files to look at", () => {
    expect(sources.length).toBeGreaterThan(20);
    expect(() => readSource("src/core/a.ts", "export const = ;")).toThrow("does not parse");
  });

  it("says in every folder of src what belongs there", () => {
    expect(say(repository.folderFindings(paths, read))).toEqual([]);
    expect(repository.folderFindings(["src/x/y/a.ts", "src/x/README.md"], () => "# x")).toHaveLength(1);
    expect(repository.folderFindings(["src/x/y/a.ts", "src/x/README.md"], () => "`y/` holds")).toEqual([]);
  });

  it("refers to nothing outside itself", () => {
    const texts = paths.filter((path) => !/\.(png|svg|gz|tar|bin|ico)$/.test(path));
    expect(say(texts.flatMap((path) => repository.foreignFindings(path, read(path))))).toEqual([]);
    expect(repository.foreignFindings("a.md", ["see ../sha", "red/notes/style.md"].join(""))).toHaveLength(1);
  });

  it("pins every dependency to one version and says why it is there", () => {
    const manifest: unknown = JSON.parse(read("package.json"));
    if (!isRecord(manifest)) throw new Error("package.json is not an object");
    const record = read("docs/decisions/0002-dependencies.md");
    expect(say([...repository.versionFindings(manifest), ...repository.reasonFindings(manifest, record)])).toEqual([]);
    expect(repository.versionFindings({ dependencies: { a: "^1.0.0" } })).toHaveLength(1);
    expect(repository.reasonFindings({ dependencies: { a: "1.0.0" } }, "")).toHaveLength(1);
  });

  it("numbers its migrations without a gap", () => {
    expect(say(repository.migrationFindings(paths))).toEqual([]);
    expect(repository.migrationFindings(["src/store/migrations/0002-x.sql"])).toHaveLength(1);
  });
});

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
