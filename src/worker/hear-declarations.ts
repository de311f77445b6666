import type { Logger } from "pino";
import { atStep } from "../core/failpoints.ts";
import type { Name } from "../core/names.ts";
import type { Queryable } from "../store/database.ts";
import { declarationChannel } from "../store/declarations.ts";
import { listen, type Listener } from "../store/notify.ts";
import type { DatabaseRole } from "../store/writers/database-role.ts";
import type { DeclarationWakes } from "./gateway-records.ts";
import { watchTrouble } from "./note-trouble.ts";

export interface HearDeclarations {
  readonly url: string;
  readonly role: DatabaseRole | undefined;
  /** For the condition. */
  readonly db: Queryable;
  readonly mesh: Name;
  readonly wakes: Pick<DeclarationWakes, "wake" | "wakeAll">;
  readonly log: Logger;
}

/** Wakes who waits for a declaration of this mesh, by LISTEN; all of them after a loss, which is a condition until then (R33). */
export async function hearDeclarations({ url, role, db, mesh, wakes, log }: HearDeclarations): Promise<Listener> {
  const trouble = watchTrouble(
    { db, mesh, log },
    {
      code: "listener-lost",
      subject: "declarations",
      what: "the gateway does not hear of new declarations",
      remedy: "see whether PostgreSQL takes connections; it tries again by itself, and hosts ask at least every minute",
    },
  );
  const listener = await listen({
    url,
    role,
    channels: [declarationChannel],
    onNotify: (_channel, payload) => {
      const [of, node] = payload.split(" ");
      if (of === mesh && node !== undefined) void atStep("notify.wake", async () => wakes.wake(node));
    },
    onReconnect() {
      wakes.wakeAll();
      void trouble.fine();
    },
    onLost(error) {
      log.warn({ err: error }, "listening for declarations was interrupted");
      void trouble.failed(error);
    },
  });
  await trouble.fine();
  return listener;
}
