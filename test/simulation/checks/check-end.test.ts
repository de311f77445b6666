import { beforeAll, describe, expect, it } from "vitest";
import type { SimulatedHost } from "../hosts/host.ts";
import { keepReport } from "../store/report-twin.ts";
import { type Draft, type KeptProvision, put, type Records } from "../store/state.ts";
import { addBuild, assign } from "../world/mesh.ts";
import { checkEnd, checkPushEnd, type End } from "./check-end.ts";
import { acceptedOf, createHost, deaf, make, reportOf } from "./play-hosts.ts";
import { type Played, playPushes } from "./play-pushes.ts";

let played: Played;
beforeAll(async () => {
  played = await playPushes();
});

const nodes = ["node-a", "node-b"];
const nowIso = "2026-01-01T00:04:00.000Z";
const acting = { lease: { mayAct: () => true } };

const reverted = { to: null, why: "its disk was put back", since: nowIso, heardAt: nowIso };

type Place = { readonly end: End; readonly a: SimulatedHost };
type Change = (place: Place) => Partial<End>;

/** Everybody has what it should have and says so. */
function createEnd(): Place {
  const draft: Draft = { ...played.records };
  const hosts = new Map(
    nodes.map((node) => {
      const host = createHost(node);
      const newest = acceptedOf(played, node, -1);
      make(host, newest);
      const { epoch, number, digest, incarnation } = newest.declaration;
      host.disk.mark = { order: { epoch, number }, digest, incarnation };
      keepReport(draft, reportOf(newest, { boot: 1, bootId: `${node}-1` }), nowIso, deaf);
      return [node, host] as const;
    }),
  );
  const [a] = hosts.values();
  if (a === undefined) throw new Error("no host");
  const limits = { silentAfterMs: 60_000, recordsStaleAfterMs: 60_000, sourcesStaleAfterMs: 60_000 };
  const common = { openPushes: new Set<string>(), controllers: [acting], gone: new Set<string>(), nowIso, limits };
  const toldAgain = new Set<string>();
  return { end: { records: { ...draft }, hosts, open: played.open, toldAgain, ...common }, a };
}

function edit({ end }: Place, change: (draft: Draft) => void): { records: Records } {
  const draft: Draft = { ...end.records };
  change(draft);
  return { records: draft };
}

function withProvision(place: Place, change: (one: KeptProvision) => KeptProvision | null): { records: Records } {
  return edit(place, (draft) => {
    draft.provisions = draft.provisions.flatMap((one) => change(one) ?? []);
  });
}

function withAccount(place: Place, change: object): { records: Records } {
  return edit(place, (draft) => {
    const account = draft.accounts.get("node-a");
    if (account === undefined) throw new Error("no account");
    draft.accounts = put(draft.accounts, "node-a", { ...account, ...change });
  });
}

describe("the end of a life", () => {
  it("at which everything came right breaks no promise", () => {
    const { end } = createEnd();
    checkEnd(end);
    expect(end.records.provisions.map(({ provision }) => provision.state)).toEqual(["issued"]);
  });

  it.each<[string, string, Change]>([
    ["a push never ended (R18)", "L5", () => ({ openPushes: new Set(["push-4"]) })],
    ["nobody may act (R36)", "L2", () => ({ controllers: [{ lease: null }] })],
    ["two may act (R36)", "L2", () => ({ controllers: [acting, acting] })],
    ["a newer build was not sent (R18)", "L5", (place) => edit(place, (draft) => addBuild(draft, "clock", 3))],
    [
      "a node was never sent anything (R18)",
      "L5",
      (place) => edit(place, (draft) => (draft.declarations = put(draft.declarations, "node-a", []))),
    ],
    ["a credential was not minted (R17)", "L5", (place) => withProvision(place, () => null)],
    [
      "a withdrawal that was told is not confirmed (R20)",
      "L1",
      (place) => {
        const told = { epoch: 1, number: 3 };
        return withProvision(place, (one) => ({
          ...one,
          told,
          provision: { ...one.provision, id: "x", state: "owed" },
        }));
      },
    ],
    [
      "a host has not accepted what it was sent (R43)",
      "L1",
      ({ a }) => {
        a.disk.mark = null;
        return {};
      },
    ],
    ["an account says *failed* (R43)", "L1", (place) => withAccount(place, { outcome: "failed" })],
    ["an account is of what was sent before (R43)", "L1", (place) => withAccount(place, { digest: null })],
    [
      "a machine does not have what its host says (R43)",
      "L1",
      ({ a }) => {
        a.machine.present.set("artifact/clock/files", "of an earlier build");
        return {};
      },
    ],
    [
      "a machine still has what left its declaration (R43)",
      "L1",
      ({ a }) => {
        a.machine.present.set("artifact/page/files", "left");
        return {};
      },
    ],
    [
      "a host that is dead for ever is said to be well (R33)",
      "L4",
      (place) => ({ ...withAccount(place, { receivedAt: nowIso }), gone: new Set(["node-a"]) }),
    ],
    [
      "a host was put back, and nobody says so (R35)",
      "I17",
      ({ a }) => {
        a.timesPutBack = 1;
        return {};
      },
    ],
    [
      "a host that went back was pushed, and nothing that it says is kept (R31)",
      "L1",
      (place) => ({ ...withAccount(place, { reverted }), toldAgain: new Set(["node-a"]) }),
    ],
  ])("%s: %s is named", (_what, invariant, change) => {
    const place = createEnd();
    const changed = change(place);
    expect(() => checkEnd({ ...place.end, ...changed })).toThrow(new RegExp(`^${invariant}:`));
  });

  it("a provider grants what is issued from nobody: L1 is named (R17)", () => {
    const place = createEnd();
    const records = withProvision(place, (one) => ({ ...one, provision: { ...one.provision, version: 2 } }));
    expect(() => checkEnd({ ...place.end, ...records })).toThrow(/^L[15]:/);
  });

  it("demands no newer account of who went back, and was not pushed since (R31)", () => {
    const place = createEnd();
    checkEnd({ ...place.end, ...withAccount(place, { reverted, outcome: "failed" }) });
  });

  it("demands nothing more of who is told nothing until people choose", () => {
    const place = createEnd();
    const records = edit(place, (draft) => {
      assign(draft, "both", "node-b", {}, { jobs: "nobody/node-a" });
    });
    checkEnd({ ...place.end, ...records });
  });
});

describe("a push that settled", () => {
  it("and told no provider of what it minted: I9 is named (R17, R18)", () => {
    const { end } = createEnd();
    const push = end.records.pushes.get("push-2");
    if (push === undefined) throw new Error("no push-2");
    const counts = { rounds: 2, sent: 2, held: 0, notWorkedOut: 0, moving: [], message: "done" };
    const result = { push: "push-2", outcome: "settled" as const, ...counts };
    const records = { ...end.records, pushes: put(end.records.pushes, "push-2", { ...push, result }) };
    const settled: string[] = [];
    checkPushEnd(records, "push-2", { settled: (id) => settled.push(id) });
    expect(settled).toEqual(["push-2"]);
    const untold = { ...records, declarations: put(records.declarations, "node-a", []) };
    expect(() => checkPushEnd(untold, "push-2", { settled: () => undefined })).toThrow(/^I9:/);
  });
});
