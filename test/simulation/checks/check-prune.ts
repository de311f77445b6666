import { compareOrder, describeOrder } from "../../../src/decide/order.ts";
import { newestSent, type Records } from "../store/state.ts";
import { demand } from "./violation.ts";

/** I18: what somebody may still ask for is there, by rules of its own. */
export function checkPrune(before: Records, after: Records): void {
  for (const [node, list] of before.declarations) {
    const kept = new Set(after.declarations.get(node));
    const newest = newestSent(before, node);
    const account = before.accounts.get(node);
    const enrolled = before.nodes.get(node)?.incarnation;
    for (const one of list) {
      if (kept.has(one)) continue;
      const { order, incarnation, push } = one.sent;
      const key = `${describeOrder(order)} to ${node}`;
      demand(one.sent !== newest, "I18", () => `${key} is what was sent last, and was pruned`);
      const isLeft =
        account?.incarnation === incarnation && account.has !== null && compareOrder(order, account.has) < 0;
      demand(isLeft || (incarnation !== enrolled && incarnation !== account?.incarnation), "I18", () => {
        return `${key} was pruned, and its host may have it: it last reported ${account?.has == null ? "nothing" : describeOrder(account.has)}`;
      });
      const its = before.pushes.get(push);
      demand(its === undefined || its.endedAt !== null, "I18", () => `${key} was pruned, and ${push} goes on`);
    }
  }
  for (const [id, push] of before.pushes) {
    const isOpen = push.endedAt === null;
    demand(!isOpen || after.pushes.has(id), "I18", () => `${id} was pruned, and goes on`);
    const lost = (before.told.get(id)?.length ?? 0) - (after.told.get(id)?.length ?? 0);
    demand(!isOpen || lost === 0, "I18", () => `what ${id} told ${lost} nodes was pruned, and it goes on`);
  }
  demand(
    after.number === before.number && after.grants === before.grants && after.provisions === before.provisions,
    "I18",
    () => {
      return "a number, a grant or a provision was pruned";
    },
  );
}
