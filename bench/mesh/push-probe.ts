import { compareOrder } from "../../src/decide/order.ts";
import { readDatabaseUrl } from "../../src/cli/mesh-connection.ts";
import { listAccounts } from "../../src/store/read-accounts.ts";
import { declarationChannel } from "../../src/store/declarations.ts";
import { listen } from "../../src/store/notify.ts";
import { listTold, type ToldRecord } from "../../src/store/pushes.ts";
import type { PushOrder } from "../../src/worker/client.ts";
import type { BenchMesh } from "./bench-mesh.ts";
import { countPushHistory, type PushHistory } from "./count-history.ts";
import { waitUntil } from "./wait-until.ts";

/** One push, measured from before the request. */
export interface PushSample {
  /** Until the last declaration was committed: PostgreSQL says so by NOTIFY when it is. */
  readonly sentMs: number;
  /** Until the last host's report was kept, by the database's clock (the same machine's). Null: nobody reports. */
  readonly appliedMs: number | null;
  /** Until the push workflow's result was here. */
  readonly endedMs: number;
  readonly sent: number;
  readonly history: PushHistory;
}

export interface PushProbe {
  /** Throws when the push does not settle, or sends to another number of nodes than expected. */
  push(named: readonly string[], expectedSent: number, kind?: PushOrder["kind"]): Promise<PushSample>;
  close(): Promise<void>;
}

/** How often the reports are looked at: only to know when to go on, not part of any time. */
const lookEveryMs = 15;

export async function openPushProbe(mesh: BenchMesh, hosts: readonly string[]): Promise<PushProbe> {
  const { db, mesh: name, paths } = mesh.connection;
  const heard = new Map<string, number>();
  const listener = await listen({
    url: await readDatabaseUrl(paths.databaseUrl),
    channels: [declarationChannel],
    onNotify: (_channel, payload) => void heard.set(payload.split(" ")[1] ?? "", Date.now()),
    onReconnect: () => undefined,
  });
  return {
    async push(named, expectedSent, kind = "named") {
      heard.clear();
      const startedMs = Date.now();
      const started = await mesh.controller.startPush({
        mesh: name,
        kind,
        named,
        requestedBy: "bench",
        why: "",
        confirmRemoval: true,
      });
      const result = await started.result();
      const endedMs = Date.now() - startedMs;
      const told = (await listTold(db, name, started.pushId)).filter((one) => one.outcome === "sent");
      if (result.outcome !== "settled") throw new Error(`push ${started.pushId} ${result.outcome}: ${result.message}`);
      if (told.length !== expectedSent) throw new Error(`${told.length} nodes were sent to, not ${expectedSent}`);
      const appliedAtMs = await waitUntilApplied(
        mesh,
        told.filter((one) => hosts.includes(one.node)),
      );
      return {
        sentMs: Math.max(...told.map((one) => heard.get(one.node) ?? Number.NaN)) - startedMs,
        appliedMs: appliedAtMs === null ? null : appliedAtMs - startedMs,
        endedMs,
        sent: told.length,
        history: await countPushHistory(mesh.client, name, started.pushId, result.rounds),
      };
    },
    close: () => listener.close(),
  };
}

async function waitUntilApplied(mesh: BenchMesh, told: readonly ToldRecord[]): Promise<number | null> {
  if (told.length === 0) return null;
  const ask = async (): Promise<number | null> => {
    const { accounts } = await listAccounts(mesh.connection.db, mesh.connection.mesh);
    const at = told.map(({ node, epoch, number }) => {
      const account = accounts.find((one) => one.node === node);
      if (account === undefined || account.has === null || account.outcome !== "applied") return null;
      if (compareOrder(account.has, { epoch: epoch ?? 0, number: number ?? 0 }) < 0) return null;
      return Date.parse(account.receivedAt);
    });
    return at.includes(null) ? null : Math.max(...at.map((one) => one ?? 0));
  };
  return waitUntil(`reports of ${told.map((one) => one.node).join(", ")}`, ask, {
    everyMs: lookEveryMs,
    withinMs: 60_000,
  });
}
