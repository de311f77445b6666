import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { conditionKinds, type ConditionKind } from "../../src/core/condition-codes.ts";
import { type LoopFile, loopFiles } from "./loops.ts";
import * as repository from "./repository.ts";
import { conditionFindings, conditionsPage } from "./rules/condition-rule.ts";
import { findLoops } from "./rules/find-loops.ts";
import { readSource, type SourceFile } from "./source-file.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = repository.readText(root);
const sources = repository
  .listFiles(root)
  .filter((path) => /^src\/.*\.ts$/.test(path))
  .map((path) => readSource(path, read(path)));

function loopFindings(files: readonly SourceFile[], table: readonly LoopFile[]): string[] {
  const found = new Map(files.map((file) => [file.path.replace("src/", ""), findLoops(file).length]));
  const known = new Map(table.map((row) => [row.file, row.count]));
  const names = new Set([...known.keys(), ...[...found].filter(([, count]) => count > 0).map(([name]) => name)]);
  return [...names]
    .filter((name) => (found.get(name) ?? 0) !== (known.get(name) ?? 0))
    .map((name) => `${name}: ${found.get(name) ?? 0} loops, ${known.get(name) ?? 0} in test/tidy/loops.ts`);
}

describe("no loop is silent (R33)", () => {
  it("knows every loop of the source, and each condition that a loop opens is one", () => {
    expect(loopFindings(sources, loopFiles)).toEqual([]);
    const named = loopFiles.flatMap(({ trouble }) => ("condition" in trouble ? [trouble.condition] : []));
    expect(named.filter((code) => !conditionKinds.some((kind) => kind.code === code))).toEqual([]);
  });

  it.each([
    ["an interval", "setInterval(() => look(), 1_000);"],
    ["a look that goes on", "export const watch = () => keepLooking({ look, trouble });"],
    ["a loop without an end that sleeps", "async function f() { for (;;) { look(); await sleep(5); } }"],
    ["while (true)", "async function f() { while (true) { if (a) await clock.wait(5, signal); } }"],
    ["until a signal", "async function f() { while (!signal.aborted) { try { g(); } finally { await pause(5); } } }"],
    ["a promise of a timer", "async function f() { while (x) await Promise.race([a, setTimeout(5)]); }"],
  ])("finds %s that nobody registered", (_what, text) => {
    expect(loopFindings([readSource("src/worker/new.ts", text)], [])).toHaveLength(1);
  });

  it.each([
    ["a loop that reads on", "async function f() { for (;;) { const part = await read(); if (!part) return; } }"],
    ["a loop that counts", "async function f() { for (let i = 0; i < 3; i += 1) await sleep(i); }"],
    ["a walk over a list", "async function f() { for (const one of all) await wait(one); }"],
  ])("lets pass: %s", (_what, text) => {
    expect(loopFindings([readSource("src/worker/new.ts", text)], [])).toEqual([]);
  });

  it("finds a row whose loop is gone", () => {
    const [first] = loopFiles;
    expect(loopFindings([readSource(`src/${first?.file}`, "")], loopFiles.slice(0, 1))).toHaveLength(1);
  });
});

describe("every condition is in the table (R33)", () => {
  it("is opened and closed where the table says, and none is opened elsewhere", () => {
    expect(conditionFindings(sources, conditionKinds)).toEqual([]);
  });

  const kind: ConditionKind = {
    code: "disk-full",
    subject: "disk",
    watches: "",
    opens: ["worker/disk.ts"],
    closes: ["worker/disk.ts"],
    urgent: "no",
    remedy: "",
  };
  const imports = `import { clearCondition, observeCondition } from "../store/conditions.ts";\n`;
  const both = `${imports}const c = { code: "disk-full" }; observeCondition(db, m, c); clearCondition(db, m, c);`;
  const check = (text: string, path = "src/worker/disk.ts"): readonly string[] =>
    conditionFindings([readSource(path, text)], [kind]);

  it("passes one that is opened and closed", () => {
    expect(check(both)).toEqual([]);
  });

  it.each([
    ["a code that is not in it", both.replace("disk-full", "disk-fool")],
    ["nobody opens it", both.replace("observeCondition(db, m, c);", "")],
    ["nobody closes it", both.replace("clearCondition(db, m, c);", "")],
  ])("refuses: %s", (_what, text) => {
    expect(check(text).length).toBeGreaterThan(0);
  });

  it("refuses a file that opens one and is in no row", () => {
    expect(check(`${imports}observeCondition(db, m, made());`, "src/worker/other.ts").join()).toContain("other.ts");
  });

  it("is in docs/conditions.md, which is written from it", () => {
    expect(read("docs/conditions.md")).toBe(conditionsPage(conditionKinds));
  });
});
