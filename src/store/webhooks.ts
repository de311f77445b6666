import type { Name } from "../core/names.ts";
import type { Queryable } from "./database.ts";
import { run } from "./rows.ts";
import { storableText } from "./storable.ts";

/** True: this delivery was not seen before. A repeated one is harmless and wakes nobody. */
export async function recordDelivery(
  db: Queryable,
  mesh: Name,
  hook: { source: string; delivery: string },
): Promise<boolean> {
  const changed = await run(
    db,
    `insert into webhook_delivery (mesh, source, delivery) values ($1, $2, $3) on conflict do nothing`,
    [mesh, storableText(hook.source), storableText(hook.delivery)],
  );
  return changed === 1;
}

/** Forgets deliveries older than this; answers how many. */
export function forgetDeliveries(db: Queryable, mesh: Name, olderThanMs: number): Promise<number> {
  return run(
    db,
    `delete from webhook_delivery where mesh = $1 and received_at < now() - $2::float8 * interval '1 millisecond'`,
    [mesh, olderThanMs],
  );
}
