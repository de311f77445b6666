import { expect, it } from "vitest";
import type { DryRunDocument } from "../../src/activities/dry-run-document.ts";
import { dryRunText } from "../../src/cli/text/dry-run-text.ts";

const now = new Date("2026-01-01T00:00:00.000Z");
const nothing: DryRunDocument = {
  dryRun: true,
  mayRebuild: [],
  failing: [],
  cannotTell: [],
  later: [],
  modules: 2,
  sources: [{ repository: "shop", branch: "main", commit: null, failure: null }],
  readModules: 0,
  parsedFiles: 1,
  cachedFiles: 0,
  answeredBy: "this process",
};

it("says that all is what the sources are only where that is so", () => {
  expect(dryRunText(nothing, now)).toMatch(/^nothing would be built: what is built of 2 modules is what their sources/);
  const later = [
    { module: "core", why: "the registry does not answer", retryAt: "2026-01-01T00:00:42.000Z" },
    { module: "page", why: "page waits for core (outstanding)", retryAt: null },
  ];
  const text = dryRunText({ ...nothing, later }, now);
  expect(text).toMatch(/^nothing would be built now\nnot built now\n/);
  expect(text).toContain("core  the registry does not answer; tried again in 42 s\n");
  expect(text).toContain("page  page waits for core (outstanding)\n");
  expect(text).toContain("looked at 1 branch, read 0 modules, parsed 1 file;");
});

it("says by name what it cannot tell, and answers for the rest (R26)", () => {
  const text = dryRunText(
    {
      ...nothing,
      cannotTell: [{ module: "core", why: "its source cannot be read: 503" }],
      sources: [...nothing.sources, { repository: "libs", branch: "main", commit: null, failure: "503" }],
    },
    now,
  );
  expect(text).toMatch(
    /^nothing of what can be told would be built now\ncannot tell\n  core  its source cannot be read: 503\n/,
  );
  expect(text).toContain("looked at 1 branch, 1 did not answer (libs main), read");
  expect(text).toContain("next: mesh repo list");
});
