import { listAccountsOf } from "../../store/read-accounts.ts";
import { listSentTo } from "../../store/declarations.ts";
import { judgeEffect } from "../push/judge-effect.ts";
import { sayEffect } from "../text/say-effect.ts";
import { sleep } from "../wait.ts";
import type { BroughtUp } from "./bring-up.ts";
import { exampleNodes, type UpParts } from "./up-plan.ts";

const patienceMs = 60_000;

/**
 * Waits until the examples' nodes read back what they were last sent, after a restart: services come up again, nothing is
 * sent. Answers what is in the way; empty: nothing is.
 */
export async function waitUntilApplied(parts: UpParts, up: BroughtUp): Promise<readonly string[]> {
  const { db, mesh } = up.connection;
  const until = performance.now() + patienceMs;
  for (;;) {
    const read = await listAccountsOf(db, mesh, exampleNodes);
    const accounts = new Map(read.accounts.map((account) => [account.node, account]));
    const troubles = (await listSentTo(db, mesh, exampleNodes)).flatMap((sent) => {
      const account = accounts.get(sent.node) ?? null;
      const old = up.startedNodes.includes(sent.node) && (account === null || account.receivedAt < up.startedAt);
      if (old) return [`${sent.node}: its host has not reported since it was started`];
      const judged = judgeEffect({
        order: sent.order,
        digest: sent.digest,
        sentAt: sent.issuedAt,
        account,
        silentMs: null,
        stale: read.unread.find(({ node }) => node === sent.node)?.why ?? null,
      });
      return judged.effect === "applied"
        ? []
        : [`${sent.node}: ${sayEffect(judged.effect)}${judged.says === "" ? "" : `: ${judged.says}`}`];
    });
    if (troubles.length === 0 || performance.now() >= until || parts.interrupt.aborted) return troubles;
    await sleep(150, parts.interrupt);
  }
}
