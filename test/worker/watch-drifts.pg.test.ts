import { pino } from "pino";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { ResourceReport } from "../../src/core/report.ts";
import { listConditions } from "../../src/store/conditions.ts";
import { type DriftWatch, watchDrifts } from "../../src/worker/watch-drifts.ts";
import { mesh, openRecords, type Records, until } from "../store/open-records.ts";

let records: Records;
let watch: DriftWatch;

beforeAll(async () => {
  records = await openRecords();
});
afterEach(async () => {
  await watch.stop();
  await records.db.query("delete from condition");
});
afterAll(() => records.close());

function start(quietMs?: number): void {
  const log = pino({ level: "silent" });
  const quiet = quietMs === undefined ? {} : { quietMs };
  watch = watchDrifts({ db: records.as("controller"), mesh, log, everyMs: 10, ...quiet });
}

const lost: ResourceReport = {
  id: "directory/shop/data",
  state: "applied",
  message: "there",
  drift: { wanted: "750", found: "nothing there" },
};
const { drift: _drift, ...calm } = lost;
const note = (...resources: ResourceReport[]): void => watch.note({ node: "shop-1", resources });
const count = (code: string, wanted: number) =>
  until(async () => ((await listConditions(records.db, mesh)).find((one) => one.code === code)?.count ?? 0) === wanted);

it("keeps what a host found changed: once for all the reports that say it, and again when it comes again (R33, R44)", async () => {
  start();
  note(lost);
  note(lost);
  await count("drift-mended", 1);
  await count("data-lost", 1);
  note(lost);
  note(calm);
  note(lost);
  await count("drift-mended", 2);
  await count("data-lost", 2);
});

it("is over after a while, but for data that is lost: only a person knows the end of that", async () => {
  start(0);
  note(lost);
  await count("data-lost", 1);
  await count("drift-mended", 0);
  expect((await listConditions(records.db, mesh)).map(({ code, subject }) => `${code} ${subject}`)).toEqual([
    "data-lost shop-1/shop",
  ]);
});
