import { z } from "zod";
import { timeColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import { one } from "./rows.ts";

/** ISO, by the database's clock: the times in the records are from it, and a reader's own clock may differ. */
export async function readClock(db: Queryable): Promise<string> {
  const { now } = await one(db, z.object({ now: timeColumn }), `select clock_timestamp() as now`);
  return now;
}
