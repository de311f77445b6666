import type { Order } from "../../../src/core/declaration.ts";
import type { Report } from "../../../src/core/report.ts";
import type { Resource } from "../../../src/core/resource.ts";
import { compareOrder, describeOrder } from "../../../src/decide/order.ts";
import { compareReports } from "../../../src/decide/order-reports.ts";
import type { Accepted } from "../../../src/host/cycle/check-envelope.ts";
import type { SimulatedHost } from "../hosts/host.ts";
import { listGrants } from "../hosts/model-machine.ts";
import type { KeptReport } from "../store/backend.ts";
import type { CommitChecks, Mailed } from "./check-commits.ts";
import { findDifference } from "./check-machine.ts";
import { createStuckChecks } from "./check-stuck.ts";
import { demand, ViolationError } from "./violation.ts";

export interface HostChecks {
  /** A host begins a pass over what it accepted. */
  begin(host: SimulatedHost, accepted: Accepted): void;
  /** A host touches something on its machine. */
  touch(host: SimulatedHost, accepted: Accepted, what: "apply" | "remove", resource: Resource): void;
  /** A host says something. */
  report(host: SimulatedHost, report: Report): void;
  /** What it said became its account. */
  kept(kept: KeptReport): void;
  /** It is said to have gone back. */
  reverted(report: Report, why: string): void;
  /** Its disk, still as it is, is about to be that of an earlier day. */
  putBack(host: SimulatedHost): void;
  /** It was put back, and has touched nothing since by what it had come to before. */
  isBehind(host: SimulatedHost): boolean;
  /** The records are those of a backup: what they said of hosts is of then. */
  restored(): void;
  /** A person went on above what was seen. */
  recovered(): void;
}

export interface HostFacts {
  readonly commits: Pick<CommitChecks, "mail">;
  /** `provision#version` of what its provider said to be gone. */
  readonly withdrawn: ReadonlySet<string>;
}

interface Applied {
  readonly order: Order;
  readonly incarnation: string;
  readonly mailed: Mailed;
}

/** I1, I4, I6, I8, I8c, I10, I11, I13, I16, I17 and L3, at each thing that a host touches and says. */
export function createHostChecks({ commits, withdrawn }: HostFacts): HostChecks {
  const applied = new Map<string, Applied>();
  /** Whether somebody went on above what hosts have, since the last restore; null: there was none. */
  let isRecovered: boolean | null = null;
  /** By node: what its host goes by, and by what it last changed something. */
  const wanted = new Map<string, Accepted>();
  const touched = new Map<string, Accepted>();
  const accounts = new Map<string, Report>();
  const stuck = createStuckChecks();
  /** By node: which host was put back, and what it had accepted before. */
  const returned = new Map<string, { readonly incarnation: string; readonly from: Order | null }>();
  const isBehind = ({ node, incarnation }: SimulatedHost, order: Order | null): boolean => {
    const known = returned.get(node);
    if (known?.incarnation !== incarnation || known.from === null) return false;
    return order === null || compareOrder(order, known.from) < 0;
  };
  const checkOrder = (host: SimulatedHost, accepted: Accepted): void => {
    const { declaration } = accepted;
    const order = { epoch: declaration.epoch, number: declaration.number };
    const key = describeOrder(order);
    demand(declaration.node === host.node, "I4", () => `${host.node} applies ${key}, which is for ${declaration.node}`);
    const mailed = commits.mail
      .get(key)
      ?.findLast(({ node, digest }) => node === host.node && digest === declaration.digest);
    demand(mailed !== undefined, "I6", () => `${host.node} applies ${key}, which nobody committed`);
    const before = applied.get(host.node);
    // Old records know no order of later ones: who enrols there anew begins anew.
    const last = isRecovered === null || before?.incarnation === host.incarnation ? before : undefined;
    demand(last === undefined || compareOrder(order, last.order) >= 0, "I1", () => {
      return `${host.node} applies ${key} after ${last === undefined ? "" : describeOrder(last.order)}`;
    });
    demand(last === undefined || mailed.wish >= last.mailed.wish, "I8", () => {
      return `${host.node} goes back to content of moment ${mailed.wish} from ${last?.mailed.wish ?? 0}`;
    });
    const ofLast = last === undefined ? [] : (commits.mail.get(describeOrder(last.order)) ?? []);
    const isGivenAgain = ofLast.some((one) => !one.isLost && one.node === host.node);
    checkAhead(host, last, { order, mailed, isGivenAgain }, isRecovered === true);
    applied.set(host.node, { order, incarnation: host.incarnation, mailed });
    wanted.set(host.node, accepted);
  };
  const begin = (host: SimulatedHost, accepted: Accepted): void => {
    if (wanted.get(host.node) !== accepted) checkOrder(host, accepted);
  };
  return {
    begin,
    touch(host, accepted, what, resource) {
      begin(host, accepted);
      touched.set(host.node, accepted);
      // What it had when the snapshot was taken, it has again: until it goes by what it should be now.
      if (what !== "apply" || resource.kind !== "grant" || isBehind(host, accepted.declaration)) return;
      const again = listGrants(resource).find((key) => withdrawn.has(key));
      demand(again === undefined, "I8c", () => `${host.node} grants ${again} again, which it had said to be gone`);
    },
    report: (host, report) => checkHonesty(host, report, wanted.get(host.node)),
    kept({ report, track, enrolled }) {
      demand(report.incarnation === enrolled, "I13", () => {
        return `the account of ${report.node} is now of ${report.incarnation}, and ${enrolled} is enrolled`;
      });
      const last = accounts.get(report.node);
      const isNewer = last === undefined || last.incarnation !== report.incarnation || compareReports(report, last) > 0;
      demand(isNewer, "I10", () => {
        return `the account of ${report.node} went from report ${last?.boot}.${last?.sequence} to ${report.boot}.${report.sequence}`;
      });
      accounts.set(report.node, report);
      // What failed before the backup is not known to those who look now.
      if (isRecovered === null) stuck.see(report, track);
    },
    reverted({ node, incarnation }, why) {
      if (returned.get(node)?.incarnation === incarnation) return;
      throw new ViolationError("I17", `${node} is said to have gone back, and no disk of it ever did: ${why}`);
    },
    putBack(host) {
      const { node, incarnation, disk } = host;
      returned.set(node, { incarnation, from: disk.mark?.incarnation === incarnation ? disk.mark.order : null });
      // Another disk is another history: from here on it rises again.
      applied.delete(node);
      wanted.delete(node);
      touched.delete(node);
    },
    isBehind: (host) => isBehind(host, touched.get(host.node)?.declaration ?? null),
    restored() {
      isRecovered = false;
      accounts.clear();
    },
    recovered() {
      isRecovered = true;
    },
  };
}

/**
 * I16: a host that has what the records lost takes nothing of theirs before a person went on above it, and never another
 * content under an order that it has.
 */
function checkAhead(
  host: SimulatedHost,
  last: Applied | undefined,
  { order, mailed, isGivenAgain }: { readonly order: Order; readonly mailed: Mailed; readonly isGivenAgain: boolean },
  isRecovered: boolean,
): void {
  if (last === undefined || last.mailed === mailed) return;
  // Where the restored records gave its order to it again, only its next report shows that the content is another.
  demand(!last.mailed.isLost || isGivenAgain || mailed.isLost || isRecovered, "I16", () => {
    return `${host.node} has ${describeOrder(last.order)}, which the records lost, and applies ${describeOrder(order)} of them`;
  });
  demand(compareOrder(order, last.order) !== 0 || mailed.digest === last.mailed.digest, "I16", () => {
    return `${host.node} applies other content as ${describeOrder(order)} than before`;
  });
}

/** I11: who says *applied* has read back every resource as it should be, and has taken away what was there before. */
function checkHonesty(host: SimulatedHost, report: Report, accepted: Accepted | undefined): void {
  // What is said again was looked at when it was said first, and says how long ago.
  if (report.outcome !== "applied" || report.repeats !== undefined) return;
  const { has, digest } = report;
  const isBegun =
    has !== null && accepted?.declaration.digest === digest && compareOrder(accepted.declaration, has) === 0;
  demand(isBegun, "I11", () => {
    return `${host.node} says that it applied ${has === null ? "nothing" : describeOrder(has)}, and never began with it`;
  });
  const difference = findDifference(host.machine, accepted.declaration.content.resources);
  demand(difference === null, "I11", () => `${host.node} says applied, and ${difference}`);
}
