import type { Declaration, Order } from "../../../src/core/declaration.ts";
import type { Digest, Name } from "../../../src/core/names.ts";
import { standingSend, type World } from "../../../src/decide/world.ts";
import { compareOrder, describeOrder } from "../../../src/decide/order.ts";
import { composeForPush } from "../../../src/decide/compose-for-push.ts";
import { staleAfterMs } from "../controllers/controller.ts";
import { type ChangeRead, epochStartMs, type GateCommit } from "../store/backend.ts";
import { type KeptDeclaration, newestSent, type Records, worldOf } from "../store/state.ts";
import { checkBuilds } from "./check-builds.ts";
import { checkMoves } from "./check-moves.ts";
import { checkRemoval } from "./check-removal.ts";
import { createRestChecks } from "./check-rest.ts";
import { demand } from "./violation.ts";

/** A declaration that was committed. */
export interface Mailed {
  readonly digest: Digest;
  readonly node: string;
  readonly wish: number;
  /** How often the records had been restored then. */
  readonly era: number;
  /** They were restored since, from a backup without it. */
  isLost: boolean;
}

export interface CommitChecks {
  /** Every declaration ever committed, by its order: more than one only where records were restored between them. */
  readonly mail: ReadonlyMap<string, readonly Mailed[]>;
  /** From here on the records are those of a backup. */
  restored(records: Records, crossed: ReadonlySet<string>): void;
  /** A push looks whom it changed. */
  look(change: ChangeRead): void;
  /** It called itself settled. */
  settled(push: string): void;
  see(commit: GateCommit): void;
}

/** What the backup's records had removed as old is in none of them, and was not lost. */
function isPruned({ pruned }: Records, node: Name, key: string): boolean {
  const upTo = pruned.get(node);
  const [epoch = 0, number = 0] = key.split(".").map(Number);
  return upTo !== undefined && compareOrder({ epoch, number }, upTo) <= 0;
}

/** By push: those that were to be something else than before it, at any of its looks. */
type Changed = ReadonlyMap<string, ReadonlySet<Name>>;

/** I3, I5 to I9 and I14 to I16 at each commit through the gate. */
export function createCommitChecks(open: (envelope: Uint8Array) => Declaration): CommitChecks {
  const mail = new Map<string, Mailed[]>();
  let era = 0;
  let crossed: ReadonlySet<string> = new Set();
  let last: { commit: GateCommit; order: Order } | null = null;
  const changed = new Map<string, Set<Name>>();
  const rest = createRestChecks();
  return {
    mail,
    restored(records, across) {
      era += 1;
      last = null;
      crossed = across;
      const kept = new Set(
        [...records.declarations.values()].flat().map(({ sent }) => `${describeOrder(sent.order)} ${sent.digest}`),
      );
      for (const [key, list] of mail)
        for (const one of list) one.isLost ||= !kept.has(`${key} ${one.digest}`) && !isPruned(records, one.node, key);
    },
    settled: (push) => rest.settled(push),
    look(change) {
      rest.look(change);
      const { world, baseline } = change;
      const push = change.push.id;
      const known = changed.get(push) ?? new Set();
      changed.set(push, known);
      for (const [node, before] of baseline)
        if (!known.has(node) && composeForPush(world, node, { named: false }).digest !== before) known.add(node);
    },
    see(commit) {
      const order = { epoch: commit.epoch, number: commit.numbers.at(-1) ?? 0 };
      demand(commit.after.epoch === commit.epoch, "I5", () => {
        return `${commit.by} committed under epoch ${commit.epoch}, but ${commit.after.epoch} was granted`;
      });
      demand(commit.before.stop === null, "I16", () => `${commit.by} committed while the mesh was stopped`);
      checkInterval(last, commit, order);
      rest.see(commit);
      checkMoves(commit);
      const moment = worldAtMoment(commit);
      for (const one of listNew(commit)) {
        const key = describeOrder(one.sent.order);
        const known = mail.get(key) ?? [];
        const twice = known.find((other) => !other.isLost);
        demand(twice === undefined, "I3", () => `${key} was given to ${twice?.node} and to ${one.sent.node}`);
        mail.set(key, [
          ...known,
          { digest: one.sent.digest, node: one.sent.node, wish: commit.wish, era, isLost: false },
        ]);
        checkRecord(commit, one);
        const declaration = open(one.mail.envelope);
        checkCredentials(commit, declaration);
        if (!crossed.has(one.sent.push)) {
          checkOpen(commit, one);
          checkReach(commit, one, changed);
          checkBuilds(commit, one);
          checkRemoval(commit, one);
        }
        checkMoment(commit, moment, one);
        checkOnce(commit, one, declaration);
        checkFreshness(commit, declaration);
      }
      last = { commit, order };
    },
  };
}

function listNew(commit: GateCommit): KeptDeclaration[] {
  return [...commit.after.declarations].flatMap(([node, list]) => {
    const before = new Set(commit.before.declarations.get(node));
    return list.filter((one) => !before.has(one));
  });
}

/** I7, I8: the intervals from the number to the commit do not overlap, and content never goes back. */
function checkInterval(
  last: { readonly commit: GateCommit; readonly order: Order } | null,
  commit: GateCommit,
  order: Order,
): void {
  if (last === null) return;
  const before = last.commit;
  demand(commit.takenAt > before.committedAt, "I7", () => {
    return `${commit.by} took its number at moment ${commit.takenAt}, while ${before.by} was between ${before.takenAt} and ${before.committedAt}`;
  });
  demand(compareOrder(order, last.order) > 0, "I7", () => {
    return `${describeOrder(order)} by ${commit.by} was read after ${describeOrder(last.order)} by ${before.by}, and is lower`;
  });
  demand(commit.wish >= before.wish, "I8", () => {
    return `${describeOrder(order)} has content of moment ${commit.wish}, ${describeOrder(last.order)} before it of ${before.wish}`;
  });
}

/** I6: the mailbox and the record are one. */
function checkRecord(commit: GateCommit, { sent, mail }: KeptDeclaration): void {
  const told = commit.after.told.get(sent.push)?.find((one) => one.node === sent.node && one.round === sent.round);
  const key = describeOrder(sent.order);
  demand(told?.outcome === "sent" && told.epoch !== null && mail.digest === sent.digest, "I6", () => {
    return `${key} is in the mailbox of ${sent.node}, and its push records ${JSON.stringify(told ?? null)}`;
  });
}

/** I8c: what was withdrawn is in nothing that is composed later. */
function checkCredentials(commit: GateCommit, declaration: Declaration): void {
  const issued = new Set(
    commit.after.provisions.flatMap(({ provision }) =>
      provision.state === "issued" ? [`${provision.id}#${provision.version}`] : [],
    ),
  );
  const named = declaration.content.resources.flatMap((resource): readonly { provision: string; version: number }[] => {
    if (resource.kind === "grant") return resource.grants;
    return resource.kind === "file" && resource.content.from === "provisions" ? resource.content.references : [];
  });
  for (const { provision, version } of named)
    demand(issued.has(`${provision}#${version}`), "I8c", () => {
      return `${declaration.epoch}.${declaration.number} to ${declaration.node} names ${provision}#${version}, which is not issued`;
    });
}

/** I9: a push looks whom it changed after each round, and for the last time before it ends: what is sent after is missed. */
function checkOpen({ before }: GateCommit, { sent }: KeptDeclaration): void {
  const { push, round, node } = sent;
  const endedAt = before.pushes.get(push)?.endedAt ?? null;
  demand(endedAt === null, "I9", () => `${push} told ${node} after it had ended`);
  const isTold = before.told.get(push)?.some((one) => one.round === round && one.node === node) ?? false;
  demand(!isTold, "I9", () => `round ${round} of ${push} told ${node} twice`);
}

/** I9: a cascade reaches whom the push changed. */
function checkReach(commit: GateCommit, { sent }: KeptDeclaration, changed: Changed): void {
  const push = commit.after.pushes.get(sent.push);
  if (push === undefined || push.named.includes(sent.node)) return;
  const baseline = commit.after.baselines.get(sent.push)?.get(sent.node);
  // Told because of what the push made there, also where nobody could work out before what the node should be.
  const isOwed = commit.after.provisions.some(
    ({ provision, mintedBy, withdrawnBy }) =>
      provision.provider.node === sent.node && (mintedBy === sent.push || withdrawnBy === sent.push),
  );
  demand(isOwed || changed.get(sent.push)?.has(sent.node) === true, "I9", () => {
    return `${sent.push} told ${sent.node}, which should be ${baseline} before the push and at each look since`;
  });
}

/** What others of the same batch are sent is told to nobody before the batch is: offers are those of before. */
function worldAtMoment({ before, view }: GateCommit): World {
  return { ...worldOf(view), sent: worldOf(before).sent };
}

/** I7: what is sent is what the records say at the moment of its number, and nothing older or newer. */
function checkMoment({ view }: GateCommit, world: World, { sent }: KeptDeclaration): void {
  const push = view.pushes.get(sent.push);
  if (push === undefined) return;
  const how = { named: push.named.includes(sent.node), byPolicy: push.kind === "auto" };
  const { digest } = composeForPush(world, sent.node, how);
  demand(digest === sent.digest, "I7", () => {
    return `${describeOrder(sent.order)} to ${sent.node} has ${sent.digest}, and at its moment the records said ${digest}`;
  });
}

/** I14: nothing is sent again that was sent, unless a credential changed hands under the same names. */
function checkOnce({ before, view }: GateCommit, { sent }: KeptDeclaration, declaration: Declaration): void {
  const last = newestSent(before, sent.node);
  if (last?.digest !== sent.digest || last.incarnation !== sent.incarnation) return;
  // What its host has instead is told over (R35), and what it went back from again (R31): of that its next report says the end.
  const { reverted = new Map() } = worldOf(view);
  if (standingSend({ ...worldOf(before), reverted }, sent.node) === undefined) return;
  const moved = view.provisions.some((one, at) => {
    const { consumer } = one.provision;
    return consumer.node === sent.node && before.provisions[at]?.provision !== one.provision;
  });
  demand(moved, "I14", () => `${declaration.node} is sent ${sent.digest} again, as ${describeOrder(sent.order)}`);
}

/** I15: a declaration is issued while its number is held, and is stale only after its time. */
function checkFreshness({ nowMs, takenMs }: GateCommit, { epoch, number, issuedAt, staleAfter }: Declaration): void {
  const issuedMs = Date.parse(issuedAt) - epochStartMs;
  demand(issuedMs >= takenMs && issuedMs <= nowMs, "I15", () => {
    return `${epoch}.${number} says it is of ${issuedMs} ms, and its number was held from ${takenMs} to ${nowMs} ms`;
  });
  demand(Date.parse(staleAfter) - Date.parse(issuedAt) === staleAfterMs, "I15", () => {
    return `${epoch}.${number} is issued at ${issuedAt} and stale after ${staleAfter}`;
  });
}
