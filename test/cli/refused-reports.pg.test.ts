import { afterEach, beforeEach, expect, it } from "vitest";
import { judgeReport } from "../../src/decide/judge-report.ts";
import { keepAccount } from "../../src/store/accounts.ts";
import { addNodes, mesh, reportOf } from "../store/open-records.ts";
import { type CommandBed, openCommandBed } from "./command-bed.ts";

let bed: CommandBed;
beforeEach(async () => {
  bed = await openCommandBed();
  await addNodes(bed.records.db, "node-r");
  await bed.records.db.query(
    `update node set incarnation = 'aaaa', sign_key = 's', seal_key = 'age1aaaaaaaaaaaaaaaaaaaaaaaaa' where name = 'node-r'`,
  );
});
afterEach(() => bed.close());

const report = (sequence: number) => {
  const said = reportOf("node-r", { sequence });
  return keepAccount(bed.records.db, mesh, said, (facts) => judgeReport(said, facts));
};
const refusedOf = async () => {
  const { nodes } = (await bed.documentOf("status", "node-r")) as { nodes: { refusedReports: number }[] };
  return nodes.map(({ refusedReports }) => refusedReports);
};

it("reports that were refused are counted for people: in why, and in the documents of status (R38)", async () => {
  await report(5);
  expect((await bed.run("why", "node-r")).stdout).toMatch(/^(?!.*refused).*its host reported/s);
  await report(4);
  expect((await bed.run("why", "node-r")).stdout).toContain(
    "1 report of it was refused since it was registered: late, of other records, or of a second host beside its own\n",
  );
  await report(3);
  expect((await bed.run("why", "node-r")).stdout).toContain("2 reports of it were refused since");
  expect(await bed.documentOf("why", "node-r")).toMatchObject({ node: { refusedReports: 2 } });
  expect(await refusedOf()).toEqual([2]);
});
