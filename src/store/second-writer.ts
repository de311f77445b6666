import { z } from "zod";
import type { Name } from "../core/names.ts";
import type { Refusal, Report } from "../core/report.ts";
import {
  describeSecondWriter,
  listForeign,
  listNewOffers,
  type OfferFacts,
  type RefusedOffer,
} from "../decide/find-second-writer.ts";
import { bigintColumn } from "./columns.ts";
import { observeCondition } from "./conditions.ts";
import type { Transaction } from "./database.ts";
import { readPruned } from "./prune/read-pruned.ts";
import { many, maybeOne } from "./rows.ts";

const orderColumns = z.object({ epoch: bigintColumn, number: bigintColumn });

/**
 * Opens `second-writer` where a report that was kept tells of a declaration that somebody else made for its host (R38).
 * `before`: what the same host's report before said that it refused; null: there is none. Asks the records nothing where nothing new was refused.
 */
export async function noteSecondWriter(
  tx: Transaction,
  mesh: Name,
  report: Report,
  before: readonly Refusal[] | null,
): Promise<void> {
  const offers = listNewOffers(report, before);
  if (offers.length === 0) return;
  const foreign = listForeign(report, offers, await readOfferFacts(tx, mesh, report.node, offers));
  if (foreign.length > 0) await observeCondition(tx, mesh, describeSecondWriter(report.node, foreign));
}

async function readOfferFacts(
  tx: Transaction,
  mesh: Name,
  node: Name,
  offers: readonly RefusedOffer[],
): Promise<OfferFacts> {
  const sent = await many(
    tx,
    orderColumns,
    `select d.epoch, d.number from unnest($3::bigint[], $4::bigint[]) as offered(epoch, number)
       join declaration d on d.mesh = $1 and d.node = $2 and d.epoch = offered.epoch and d.number = offered.number`,
    [mesh, node, offers.map(({ offered }) => offered.epoch), offers.map(({ offered }) => offered.number)],
  );
  const recovered = await maybeOne(
    tx,
    orderColumns,
    `select epoch, number from recovery where mesh = $1 order by epoch desc limit 1`,
    [mesh],
  );
  return { sent, pruned: await readPruned(tx, mesh, node), recovered };
}
