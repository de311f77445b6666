import type { Digest, Name } from "../../../src/core/names.ts";
import { composeForPush } from "../../../src/decide/compose-for-push.ts";
import type { ChangeRead, GateCommit } from "../store/backend.ts";
import { demand } from "./violation.ts";

export interface RestChecks {
  look(change: ChangeRead): void;
  see(commit: GateCommit): void;
  settled(push: string): void;
}

/**
 * I9, R18: a push that settled has looked since it told somebody for the last time, and everybody was as it told them, or as
 * before it: each node composed anew, whatever the push remembers, and whoever it means to pass over.
 */
export function createRestChecks(): RestChecks {
  /** By push: who was otherwise in its last look; empty: nobody. None since it told somebody. */
  const moving = new Map<string, readonly Name[]>();
  return {
    look(change) {
      const { id, endedAt } = change.push;
      // A look of an attempt that was given up does not undo what another one saw.
      if (endedAt !== null || moving.get(id)?.length === 0) return;
      moving.set(id, listMoving(change));
    },
    see({ before, after }) {
      for (const [push, told] of after.told) if (told !== before.told.get(push)) moving.delete(push);
    },
    settled(push) {
      const left = moving.get(push);
      demand(left !== undefined, "I9", () => `${push} settled, and looked at nobody since it told somebody`);
      demand(left.length === 0, "I9", () => {
        return `${push} settled, and ${left.join(", ")} should be something else than it told them, or than before it`;
      });
    },
  };
}

function listMoving({ push, world, baseline, told, effects }: ChangeRead): Name[] {
  const owing = new Set([...effects.minted, ...effects.withdrawn].map(({ provider }) => hostOf(provider)));
  const last = new Map<Name, Digest | null>(told.map(({ node, digest }) => [node, digest]));
  const named = new Set(push.named);
  return [...baseline].flatMap(([node, before]) => {
    if (!world.nodes.has(node)) return [];
    if (named.has(node) && !last.has(node)) return [node];
    const how = { named: named.has(node), byPolicy: push.kind === "auto" };
    const { digest, heldAs } = composeForPush(world, node, how);
    const isOwed = owing.has(hostOf({ node, incarnation: world.nodes.get(node)?.incarnation ?? "" }));
    if (digest !== (last.has(node) ? last.get(node) : before)) {
      // Compared at the newest builds, which others make fit: it is sent nothing, and named at once where the push owes it.
      return heldAs === null || (isOwed && !last.has(node)) ? [node] : [];
    }
    // Nobody can work out what it should be, so nobody can see that it changed: it is told why, and the push is not settled.
    const isUnsaid = digest === null && !last.has(node);
    return isUnsaid && isOwed ? [node] : [];
  });
}

function hostOf({ node, incarnation }: { readonly node: Name; readonly incarnation: string }): string {
  return `${node} ${incarnation}`;
}
