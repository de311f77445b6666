import { beforeAll, describe, expect, it } from "vitest";
import type { Declaration } from "../../../src/core/declaration.ts";
import type { Report } from "../../../src/core/report.ts";
import { trackFailures } from "../../../src/decide/track-failures.ts";
import type { Accepted } from "../../../src/host/cycle/check-envelope.ts";
import type { SimulatedHost } from "../hosts/host.ts";
import { listGrants } from "../hosts/model-machine.ts";
import { newestDeclaration, type Records } from "../store/state.ts";
import type { Mailed } from "./check-commits.ts";
import { createHostChecks } from "./check-hosts.ts";
import { checkReport } from "./check-reports.ts";
import { acceptedOf, createHost, make, reportOf } from "./play-hosts.ts";
import { type Played, playPushes } from "./play-pushes.ts";

let played: Played;
beforeAll(async () => {
  played = await playPushes();
});

const node = "node-a";

/** The n-th declaration to node-a: the first, one with a credential, one with a new build. */
function acceptedAt(at: number): Accepted {
  return acceptedOf(played, node, at);
}

function otherwise(accepted: Accepted, declaration: Partial<Declaration>): Accepted {
  return { ...accepted, declaration: { ...accepted.declaration, ...declaration } };
}

/** Checks that know what was committed, and the machine on which the first declaration was applied. */
function begin(change: { readonly mailed?: (mailed: Mailed) => Mailed; readonly withdrawn?: readonly string[] } = {}) {
  const { mailed = (one) => one, withdrawn = [] } = change;
  const mail = new Map(
    (played.records.declarations.get(node) ?? []).map(({ sent }, at) => {
      const one = { digest: sent.digest, node, wish: at + 1, era: 0, isLost: false };
      return [`${sent.order.epoch}.${sent.order.number}`, [mailed(one)]] as const;
    }),
  );
  const host = createHost(node);
  const checks = createHostChecks({ commits: { mail }, withdrawn: new Set(withdrawn) });
  make(host, acceptedAt(0));
  checks.begin(host, acceptedAt(0));
  return { host, checks };
}

function kept(report: Report) {
  return { report, track: trackFailures(null, report, report.at), enrolled: report.incarnation };
}

describe("what a host goes by", () => {
  it("is named by no check while it goes on and says what is so", () => {
    const { host, checks } = begin();
    checks.report(host, reportOf(acceptedAt(0)));
    const [grant] = acceptedAt(1).ordered.filter(({ kind }) => kind === "grant");
    if (grant === undefined) throw new Error("nothing is granted");
    checks.touch(host, acceptedAt(1), "apply", grant);
    make(host, acceptedAt(1));
    checks.report(host, reportOf(acceptedAt(1)));
    checks.kept(kept(reportOf(acceptedAt(1))));
  });

  it.each<[string, string, () => void]>([
    [
      "goes back to a lower order (R38)",
      "I1",
      () => {
        const { host, checks } = begin();
        checks.begin(host, acceptedAt(1));
        checks.begin(host, acceptedAt(0));
      },
    ],
    [
      "is addressed to another (R38)",
      "I4",
      () => {
        const { host, checks } = begin();
        checks.begin(host, otherwise(acceptedAt(1), { node: "node-b" }));
      },
    ],
    [
      "was committed by nobody (R28)",
      "I6",
      () => {
        const { host, checks } = begin();
        checks.begin(host, otherwise(acceptedAt(1), { digest: `sha256:${"f".repeat(64)}` }));
      },
    ],
    [
      "is older content under a higher order (R30)",
      "I8",
      () => {
        const { host, checks } = begin({ mailed: (one) => ({ ...one, wish: 10 - one.wish }) });
        checks.begin(host, acceptedAt(1));
      },
    ],
    [
      "was lost by the records, and then theirs is taken before anybody recovered (R35)",
      "I16",
      () => {
        const { host, checks } = begin({ mailed: (one) => ({ ...one, isLost: one.wish === 1 }) });
        checks.restored();
        checks.begin(host, acceptedAt(1));
      },
    ],
    [
      "grants again what it had said to be gone (R20)",
      "I8c",
      () => {
        const [grant] = acceptedAt(1).ordered.filter(({ kind }) => kind === "grant");
        if (grant?.kind !== "grant") throw new Error("nothing is granted");
        const { host, checks } = begin({ withdrawn: listGrants(grant) });
        checks.touch(host, acceptedAt(1), "apply", grant);
      },
    ],
  ])("%s: %s is named", (_what, invariant, act) => {
    expect(act).toThrow(new RegExp(`^${invariant}:`));
  });
});

describe("a host that says applied (R43)", () => {
  it.each<[string, (host: SimulatedHost) => void, number]>([
    ["and never began with it", (host) => make(host, acceptedAt(1)), 1],
    ["where something is not there", ({ machine }) => machine.present.delete("artifact/clock/files"), 0],
    ["where something is otherwise", ({ machine }) => machine.present.set("artifact/clock/files", "other"), 0],
    ["where something else is still there", ({ machine }) => machine.present.set("artifact/page/files", "left"), 0],
    ["where a grant that left is still there", ({ machine }) => machine.granted.set("grant/rows/postgresql", []), 0],
    ["where more is granted", ({ machine }) => machine.granted.set("grant/broker/rabbitmq", ["x#1"]), 0],
  ])("%s: I11 is named", (_what, change, said) => {
    const { host, checks } = begin();
    change(host);
    expect(() => checks.report(host, reportOf(acceptedAt(said)))).toThrow(/^I11:/);
  });

  it("has to answer for nothing that no disk knows of", () => {
    const { host, checks } = begin();
    host.machine.present.set("artifact/page/files", "left");
    host.machine.strays.add("artifact/page/files");
    checks.report(host, reportOf(acceptedAt(0)));
  });
});

describe("an account", () => {
  it("goes back: I10 is named (R38)", () => {
    const { checks } = begin();
    checks.kept(kept(reportOf(acceptedAt(0), { sequence: 2 })));
    expect(() => checks.kept(kept(reportOf(acceptedAt(0), { sequence: 1 })))).toThrow(/^I10:/);
  });

  it("is of a host that is not enrolled: I13 is named (R41)", () => {
    const { checks } = begin();
    const one = kept(reportOf(acceptedAt(0)));
    expect(() => checks.kept({ ...one, enrolled: "somebody else" })).toThrow(/^I13:/);
  });

  it("is said to have gone back, and its disk never did: I17 is named (R35)", () => {
    const { checks } = begin();
    expect(() => checks.reverted(reportOf(acceptedAt(0)), "contract")).toThrow(/^I17:/);
  });

  it.each([
    ["after one failure", 1, 3],
    ["not, after three of the same", 3, 1],
  ])("is said to be stuck %s: L3 is named (R32)", (_what, failures, failingCount) => {
    const { checks } = begin();
    const resources = [{ id: "artifact/clock/files", state: "failed" as const, message: "no" }];
    const say = (sequence: number, count: number): void => {
      const report = reportOf(acceptedAt(0), { sequence, outcome: "failed", resources });
      checks.kept({ ...kept(report), track: { ...kept(report).track, failingCount: count } });
    };
    for (let sequence = 1; sequence < failures; sequence += 1) say(sequence, sequence);
    expect(() => say(failures, failingCount)).toThrow(/^L3:/);
  });
});

describe("a report that reached the records", () => {
  it.each<[string, (records: Records, report: Report) => void]>([
    ["refused, and counted nowhere", (records, report) => checkReport(report, "refused", records, records)],
    ["kept, and not the account", (records, report) => checkReport(report, "kept", records, records)],
    [
      "there already, and the account is another",
      (records, report) => checkReport(report, "duplicate", records, records),
    ],
  ])("was %s: I10 is named (R38)", (_what, act) => {
    expect(newestDeclaration(played.records, node)).not.toBeNull();
    expect(() => act(played.records, reportOf(acceptedAt(0)))).toThrow(/^I10:/);
  });
});
