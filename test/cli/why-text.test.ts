import { describe, expect, it } from "vitest";
import { moduleText } from "../../src/cli/text/module-text.ts";
import { moduleWhyText } from "../../src/cli/text/why-text.ts";
import type { ModuleRecord } from "../../src/store/modules.ts";

const now = new Date("2026-01-01T00:10:00.000Z");

const module: ModuleRecord = {
  name: "meshboard",
  repository: "examples",
  branch: "main",
  path: "meshboard",
  registeredAt: "2026-01-01T00:00:00.000Z",
  sourceCommit: "e".repeat(40),
  sourceCommitAt: null,
  sourceSubject: null,
  tree: null,
  thirdParties: null,
  moved: null,
  moves: 0,
  manifest: null,
  findings: [],
  wantedInputs: null,
  standing: "unfit",
  standingWhy: "",
  fitInputs: null,
  fitArtifact: null,
  comparedAt: "2026-01-01T00:09:57.000Z",
};
const explanation = {
  module: "meshboard",
  standing: "unfit",
  why: ["compile failed:"],
  waitsFor: [],
  dependsOn: [],
  dependents: [],
  reaches: [],
} as const;
const none = { source: [], build: [] };
const failed = {
  commit: "e".repeat(40),
  stage: "compile",
  message: "compile failed:",
  lastFitCommit: "d".repeat(40),
  retry: null,
};
const seen = {
  lookedAt: "2026-01-01T00:09:58.000Z",
  source: { kind: "known", since: null, why: "examples (main) was at eeeeeee 2 s ago" },
  remedy: "mesh build --wait",
} as const;
const labels = { heldCommit: null, notReproducible: null, unsteady: [] };

describe("why a module is unfit (R15)", () => {
  it("says the end of its log, harmless, which build keeps running, and where the rest is", () => {
    const lines = Array.from({ length: 20 }, (_one, index) => `line ${index}`);
    const logTail = [...lines, "\u001b[31m  src/page.ts:3 error\u001b[0m\u0007", ""].join("\n");
    const text = moduleWhyText(module, explanation, now, {
      labels,
      lastFitCommit: null,
      seen,
      findings: none,
      failed: { ...failed, logTail },
    });
    expect(text).toContain("  the build of eeeeeee did not come out fit (compile); the end of its log:\n    line 9\n");
    expect(text).toContain("\n      src/page.ts:3 error\n");
    expect(text).not.toContain("line 8\n");
    expect(text).not.toContain("\u001b");
    expect(text).toContain("nodes keep running what they have; the newest fit build is from ddddddd");
    expect(text).toMatch(/ {2}next: mesh log meshboard$/);
  });

  describe("because a test of TypeScript fails", () => {
    const tell = (logTail: string) =>
      moduleWhyText(module, explanation, now, {
        labels,
        lastFitCommit: null,
        seen,
        findings: none,
        failed: { ...failed, stage: "test", logTail },
      });
    const totals = Array.from({ length: 20 }, (_one, at) => `# total ${at}`).join("\n");
    const block = (indent: string, lines: readonly string[]) =>
      ["  ---", "  duration_ms: 1.3", ...lines.map((line) => `  ${line}`), "  ..."]
        .map((line) => `${indent}${line}`)
        .join("\n");
    const assertion = [
      "location: '/build/module/dist/a.test.js:3:38'",
      "failureType: 'testCodeFailure'",
      "error: |-",
      "  Expected values to be strictly equal:",
      "code: 'ERR_ASSERTION'",
      "expected: 'Good day'",
      "actual: 'Good night'",
      "operator: 'strictEqual'",
      "stack: |-",
      ...Array.from({ length: 30 }, (_one, at) => `  frame ${at}`),
    ];
    const group = block("", ["failureType: 'subtestsFailed'", "error: '1 subtest failed'"]);
    const tap = [
      "TAP version 13",
      "not ok 1 - later # TODO",
      block("", ["failureType: 'testCodeFailure'", "error: 'not yet'"]),
      "# Subtest: group",
      "    not ok 1 - greets",
      block("    ", assertion),
      "not ok 2 - group",
      group,
      totals,
      "",
    ].join("\n");

    it("says what the first one expected and what it got, bounded, and no totals", () => {
      const text = tell(tap);
      expect(text).toContain("(test); the first test that fails:\n    not ok 1 - greets\n      location: ");
      expect(text).toContain("\n      expected: 'Good day'\n      actual: 'Good night'\n");
      expect(text).toMatch(/\n {8}frame 13\n {4}… and 16 more lines\n {2}nodes keep running/);
      expect(text).not.toMatch(/not yet|subtest|total|duration_ms/);
    });

    it("says the end of a log that names none, as it does of other languages", () => {
      expect(tell(`ok 1 - greets\n${totals}\n`)).toContain("; the end of its log:\n    # total 8\n");
    });
  });

  it("that was never fit says that nothing of it runs", () => {
    const text = moduleWhyText(module, explanation, now, {
      labels,
      lastFitCommit: null,
      seen,
      findings: none,
      failed: { ...failed, logTail: "", lastFitCommit: null },
    });
    expect(text).toMatch(/\(compile\), and left no log\n {2}it was never fit: no build of it runs/);
  });
});

describe("why a module waits (R15)", () => {
  it("leads to what it waits for, and its age is that of the look at its own source", () => {
    const waits = { ...explanation, standing: "waiting", why: [], waitsFor: ["price"] } as const;
    const text = moduleWhyText(module, waits, now, { labels, lastFitCommit: null, seen, findings: none, failed: null });
    expect(text).toMatch(/^meshboard is waiting, its source seen 2\.0 s ago\n/);
    expect(text).toMatch(/ {2}next: mesh why price$/);
  });
});

describe("why a module is outstanding (R11)", () => {
  it("says what failed, how often it was tried and when it is again", () => {
    const retry = { class: "registry", attempts: 3, at: "2026-01-01T00:10:20.000Z" };
    const text = moduleWhyText(module, { ...explanation, standing: "outstanding" }, now, {
      labels,
      lastFitCommit: null,
      seen,
      findings: none,
      failed: { ...failed, stage: null, logTail: "", retry },
    });
    expect(text).toContain("  nobody could judge it (registry), tried 3 times; it is tried again by itself in 20 s\n");
  });
});

describe("what was noticed of a module", () => {
  it("is said in full, with file and line, harmless: of its source and of its last build (case 12)", () => {
    const warning = {
      severity: "warning",
      file: "src/a.ts",
      line: 7,
      message: "import() of a computed name\u001b[31m",
    } as const;
    const noTests = { severity: "warning", file: "package.json", line: 0, message: "it has no tests" } as const;
    const text = moduleWhyText(module, explanation, now, {
      labels,
      lastFitCommit: null,
      seen,
      failed: null,
      findings: { source: [warning], build: [noTests] },
    });
    expect(text).toContain("noticed in its source:\n    warning  src/a.ts:7  import() of a computed name");
    expect(text).toContain("noticed by its last build:\n    warning  package.json  it has no tests");
    expect(text).not.toContain("\u001b");
  });
});

describe("why a module is broken", () => {
  it("by what its source says leads to a commit there", () => {
    const text = moduleWhyText(module, { ...explanation, standing: "broken" }, now, {
      labels,
      lastFitCommit: null,
      seen,
      findings: none,
      failed: null,
    });
    expect(text).toMatch(/ {2}next: a commit to examples \(branch main, folder meshboard\) mends it$/);
  });

  it("says what keeps running, and claims of nothing that could not be read that it is not there (R26)", () => {
    const broken = { ...explanation, standing: "broken" } as const;
    const said = { labels, lastFitCommit: "d".repeat(40), seen, findings: none, failed: null };
    const text = moduleWhyText(module, broken, now, said);
    expect(text).toContain("\n  nodes keep running what they have; the newest fit build is from ddddddd\n");
    expect(text).toContain("\n  no build edges are known of it while it is broken\n");
    const core = { module: "core", kind: "build", at: "src/page.ts:3", lastKnown: true } as const;
    expect(moduleWhyText(module, { ...broken, dependsOn: [core] }, now, said)).toContain(
      "built against  core  build  src/page.ts:3 (as last known)\n",
    );
  });

  it("by an import that no module publishes leads to the registration of that module too", () => {
    const why = ["app imports @test/core at src/a.ts:1, which no module publishes"];
    const said = { labels, lastFitCommit: null, seen, findings: none, failed: null };
    expect(moduleWhyText(module, { ...explanation, standing: "broken", why }, now, said)).toMatch(
      /mends it, or the registration of the module that publishes it: mesh module add --help$/,
    );
  });

  it("whose source never answered leads to its address, and asks nobody for a commit", () => {
    const said = { labels, lastFitCommit: null, seen, findings: none, failed: null };
    const unseen = { ...module, sourceCommit: null, standing: "broken" } as const;
    for (const known of [{ ...explanation, standing: "broken" } as const, null])
      expect(moduleWhyText(unseen, known, now, said)).toMatch(/ {2}next: see that examples answers .*mesh repo list/);
  });

  it("whose folder is not there leads to the source, and not to a build, which changes nothing", () => {
    const why = "there is no folder meshboard at commit eeeeeee";
    const text = moduleWhyText({ ...module, standing: "broken", standingWhy: why }, null, now, {
      failed: null,
      labels,
      lastFitCommit: null,
      seen,
      findings: none,
    });
    expect(text).toContain(why);
    expect(text).not.toContain("mesh build");
    expect(text).toContain("next: commit what is missing to examples (branch main, folder meshboard)");
  });
});

it("mesh module show prints a file's name that would act on the terminal as plain text (case 52)", () => {
  const finding = { severity: "warning", file: "src/\u001b[2J.ts", line: 3, message: "a computed import" } as const;
  const looked = { source: seen.source, sourceLookedAt: seen.lookedAt };
  const document = {
    module: { ...module, findings: [finding] },
    builtAgainst: [],
    builtInto: [],
    builds: [],
    ...looked,
  };
  expect(moduleText({ ...document, assignments: [] }, now, false)).toContain("  src/·[2J.ts:3  a computed import\n");
});
