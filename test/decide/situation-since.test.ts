import { expect, it } from "vitest";
import type { Refusal } from "../../src/core/report.ts";
import { situationOf } from "../../src/decide/situation.ts";
import { buildReport, failedReport, minutesLater, reference } from "./support/build-report.ts";
import { accountOf, buildFacts } from "./support/build-situation.ts";
import { digestNamed } from "./support/build-world.ts";

const refusal: Refusal = { check: "key", message: "no key of the root", offered: null, count: 1, at: reference };
const before = { has: { epoch: 1, number: 6 }, digest: digestNamed("content of 6") };

it("a node that refused it, failed at it, and then read it back is current since then (R31)", () => {
  const account = accountOf(
    buildReport({ ...before, sequence: 1, refusals: [refusal] }),
    buildReport({ sequence: 2 }),
    failedReport(3, { "service/app/main": "it ended" }),
    buildReport({ sequence: 4, refusals: [refusal] }),
    buildReport({ sequence: 5 }),
  );
  expect(situationOf(buildFacts({ account }))).toMatchObject({ word: "current", since: minutesLater(3) });
});

it("a node whose account is from before that was kept is current since it was told (R47)", () => {
  const { track, ...account } = accountOf(buildReport());
  const facts = buildFacts({ account: { ...account, track: { ...track, appliedSince: null } } });
  expect(situationOf(facts)).toMatchObject({ word: "current", since: minutesLater(-1) });
});
