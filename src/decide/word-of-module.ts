import type { Name } from "../core/names.ts";
import type { AccountFacts } from "./situation-facts.ts";
import type { SituationWord } from "./situation.ts";
import { isStuck } from "./track-failures.ts";

/** Words that a report of the last send says, of some module of the node: whose it is, its resources tell. */
const wordsOfOutcome: ReadonlySet<SituationWord> = new Set(["stuck", "failed", "un-ready"]);

/**
 * What keeps this module on this node from being applied: the node's own word, where that is about the whole machine. `account`:
 * the node's, which is of the last send wherever its word is one of an outcome.
 */
export function wordOfModule(
  module: Name,
  nodeWord: SituationWord,
  account: Pick<AccountFacts, "resources" | "track"> | null,
): SituationWord {
  const own = (account?.resources ?? []).filter((resource) => resource.id.split("/")[1] === module);
  if (account === null || own.length === 0 || !wordsOfOutcome.has(nodeWord)) return nodeWord;
  const failed = own.filter((resource) => resource.state === "failed");
  if (failed.length > 0)
    return isStuck(account.track) && failed.some(({ id }) => account.track.failing.includes(id)) ? "stuck" : "failed";
  if (own.some((resource) => resource.state === "un-ready")) return "un-ready";
  // It waits for what another module has not got to, is on its way, or is done in an apply that has not ended.
  return "outstanding";
}
