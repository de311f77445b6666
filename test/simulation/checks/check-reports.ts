import type { Report } from "../../../src/core/report.ts";
import { compareReports } from "../../../src/decide/order-reports.ts";
import type { ReportAnswered } from "../store/backend.ts";
import type { Records } from "../store/state.ts";
import { demand } from "./violation.ts";

/** I10: what was received is the account, was it already, or is counted as refused; nothing is lost without a word. */
export function checkReport(report: Report, decision: ReportAnswered, before: Records, after: Records): void {
  const { node } = report;
  const account = after.accounts.get(node);
  const counted = (after.nodes.get(node)?.refusedReports ?? 0) - (before.nodes.get(node)?.refusedReports ?? 0);
  const what = `report ${report.boot}.${report.sequence} of ${node} was ${decision}`;
  const isRefused = decision === "older" || decision === "refused";
  demand(counted === (isRefused ? 1 : 0), "I10", () => `${what}, and ${counted} were counted as refused`);
  if (decision === "kept") demand(account?.report === report, "I10", () => `${what}, and is not the account`);
  if (decision !== "duplicate") return;
  const isSame = account !== undefined && compareReports(report, account) === 0;
  demand(isSame, "I10", () => `${what}, and the account is ${account?.boot}.${account?.sequence}`);
}
