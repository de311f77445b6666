import { pino } from "pino";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { ResourceReport } from "../../src/core/report.ts";
import { UnavailableError } from "../../src/core/errors.ts";
import { assign } from "../../src/store/assignments.ts";
import { listConditions } from "../../src/store/conditions.ts";
import type { Database } from "../../src/store/database.ts";
import { type DriftWatch, watchDrifts } from "../../src/worker/watch-drifts.ts";
import {
  addModules,
  addNodes,
  digestOf,
  grant,
  mesh,
  openRecords,
  type Records,
  sendOne,
  until,
} from "../store/open-records.ts";

let records: Records;
let watch: DriftWatch;

beforeAll(async () => {
  records = await openRecords();
  await addNodes(records.db, "shop-1");
  await addModules(records.db, "shop", "other", "sent");
  await assign(records.db, mesh, { node: "shop-1", module: "shop", config: {}, providers: {} });
  const builds = { sent: digestOf("a build of it") };
  await sendOne(records.db, await grant(records.db), "shop-1", { builds });
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

it("takes a host's word for data of modules that its node was sent or is to be, and of no other (R41)", async () => {
  start();
  const others = Array.from({ length: 2_000 }, (_, at) => ({ ...lost, id: `directory/other-${at}/data` }));
  note(lost, { ...lost, id: "directory/sent/data" }, { ...lost, id: "directory/other/data" }, ...others);
  await count("drift-mended", 1);
  await count("data-lost", 1);
  // The look that wrote these has ended when the next one is kept.
  note({ ...lost, id: "file/shop/a" });
  await count("drift-mended", 2);
  expect((await listConditions(records.db, mesh)).map(({ code, subject }) => `${code} ${subject}`)).toEqual([
    "data-lost shop-1/shop",
    "data-lost shop-1/sent",
    "drift-mended shop-1",
  ]);
});

it("loses nothing that hosts said while the records did not answer, and keeps no more than a node can have", async () => {
  let [asked, isAway] = [0, true];
  const db: Database = {
    ...records.db,
    query: (sql, values) => {
      asked += 1;
      return isAway ? Promise.reject(new UnavailableError("the database is away")) : records.db.query(sql, values);
    },
  };
  watch = watchDrifts({ db, mesh, log: pino({ level: "silent" }), everyMs: 10 });
  for (let at = 0; at < 3_000; at += 1) note({ ...lost, id: `directory/other-${at}/data` });
  note(lost);
  await until(() => Promise.resolve(asked > 1));
  isAway = false;
  await count("data-lost", 1);
});
