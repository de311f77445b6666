import type { Order } from "../../../src/core/declaration.ts";
import type { Report } from "../../../src/core/report.ts";
import { compareOrder, describeOrder } from "../../../src/decide/order.ts";
import { compareReports } from "../../../src/decide/order-reports.ts";
import type { Accepted } from "../../../src/host/cycle/check-envelope.ts";
import type { SimulatedHost } from "../hosts/host.ts";
import type { CommitChecks } from "./check-commits.ts";
import { demand } from "./violation.ts";

export interface HostChecks {
  apply(host: SimulatedHost, accepted: Accepted): void;
  report(host: SimulatedHost, report: Report): void;
  kept(report: Report): void;
}

/** I1, I4, I6, I8, I10 and I11, at each thing that a host touches and says. */
export function createHostChecks(commits: CommitChecks): HostChecks {
  const applied = new Map<string, { order: Order; wish: number }>();
  const wanted = new Map<string, Accepted>();
  const accounts = new Map<string, Report>();
  return {
    apply(host, accepted) {
      const { declaration } = accepted;
      const order = { epoch: declaration.epoch, number: declaration.number };
      const key = describeOrder(order);
      demand(
        declaration.node === host.node,
        "I4",
        () => `${host.node} applies ${key}, which is for ${declaration.node}`,
      );
      const mail = commits.mail.get(key);
      demand(mail?.digest === declaration.digest, "I6", () => `${host.node} applies ${key}, which nobody committed`);
      const last = applied.get(host.node);
      demand(last === undefined || compareOrder(order, last.order) >= 0, "I1", () => {
        return `${host.node} applies ${key} after ${last === undefined ? "" : describeOrder(last.order)}`;
      });
      const wish = mail?.wish ?? 0;
      demand(last === undefined || wish >= last.wish, "I8", () => {
        return `${host.node} goes back to content of moment ${wish} from ${last?.wish ?? 0}`;
      });
      applied.set(host.node, { order, wish });
      wanted.set(host.node, accepted);
    },
    report(host, report) {
      if (report.outcome !== "applied" || report.has === null) return;
      const accepted = wanted.get(host.node);
      const { declaration } = accepted ?? {};
      if (declaration === undefined || declaration.digest !== report.digest) return;
      for (const resource of declaration.content.resources)
        demand(host.machine.present.has(resource.id), "I11", () => {
          return `${host.node} says applied, and ${resource.id} is not there`;
        });
    },
    kept(report) {
      const last = accounts.get(report.node);
      demand(
        last === undefined || last.incarnation !== report.incarnation || compareReports(report, last) > 0,
        "I10",
        () => {
          return `the account of ${report.node} went from report ${last?.boot}.${last?.sequence} to ${report.boot}.${report.sequence}`;
        },
      );
      accounts.set(report.node, report);
    },
  };
}
