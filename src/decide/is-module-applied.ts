import type { Name } from "../core/names.ts";
import { compareOrder } from "./order.ts";
import type { AccountFacts } from "./situation-facts.ts";
import type { Sent } from "./world.ts";

/**
 * The host read back everything of this module as wanted, and did not go back since, in exactly the declaration the node was last sent. Another
 * module of the same node may still fail: that is its own line (R15).
 */
export function isModuleApplied(
  module: Name,
  sent: Pick<Sent, "order" | "digest" | "incarnation">,
  account: Pick<AccountFacts, "has" | "digest" | "incarnation" | "outcome" | "resources" | "reverted"> | null,
): boolean {
  if (account === null || account.has === null || account.incarnation !== sent.incarnation) return false;
  // What it read back is of before it went back.
  if (account.reverted !== undefined && account.reverted !== null) return false;
  if (compareOrder(account.has, sent.order) !== 0 || account.digest !== sent.digest) return false;
  if (account.outcome === "none" || account.outcome === "half") return false;
  const own = account.resources.filter((resource) => resource.id.split("/")[1] === module);
  return own.length > 0 && own.every((resource) => resource.state === "applied");
}
