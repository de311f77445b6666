import type { GateRecords } from "../../../src/activities/push-records.ts";
import type { Provision } from "../../../src/core/provision.ts";
import type { NewDeclaration } from "../../../src/store/declarations.ts";
import { partFor } from "./part-for.ts";
import { type Draft, mapChanged, newestDeclaration, put, worldOf } from "./state.ts";

/** Each statement of the one transaction: on the draft, after the way there. */
export interface GateRoad {
  /** What the transaction sees: everything as it was when it began, with its own writes. */
  readonly draft: Draft;
  /** A statement's way to the records and back; throws where the connection breaks. */
  readonly statement: <T>(act: () => T) => Promise<T>;
  readonly nowIso: () => string;
  readonly onRead: () => void;
}

/** The semantics of the SQL in `store`, statement by statement; one contract suite holds both to the same answers. */
export function createGateTwin({ draft, statement, nowIso, onRead }: GateRoad): GateRecords {
  return {
    loadWorldFor: (nodes) =>
      statement(() => {
        onRead();
        return partFor(worldOf({ ...draft }), nodes);
      }),
    listNodesNamed: (names) =>
      statement(() =>
        [...draft.nodes.values()]
          .filter(({ name }) => names.includes(name))
          .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
      ),
    withdrawProvisions: ({ push, ids }) => statement(() => withdraw(draft, push, ids)),
    insertProvisions: ({ push, provisions }) => statement(() => insert(draft, push, provisions)),
    insertSealedBoxes: (recipient, boxes) =>
      statement(() => {
        for (const box of boxes) {
          const key = `${box.provision}#${box.version}#${recipient.node}#${recipient.incarnation}`;
          if (
            !draft.provisions.some(
              ({ provision: { id, version } }) => `${id}#${version}` === `${box.provision}#${box.version}`,
            )
          )
            throw new Error(`foreign key: a box of ${box.provision}#${box.version}, which is not there`);
          // Sealing is randomised: the first one stands.
          if (!draft.boxes.has(key)) draft.boxes = put(draft.boxes, key, box);
        }
      }),
    listSealedBoxes: (recipient, wanted) =>
      statement(() =>
        wanted
          .flatMap(({ provision, version }) => {
            const box = draft.boxes.get(`${provision}#${version}#${recipient.node}#${recipient.incarnation}`);
            return box === undefined ? [] : [box];
          })
          .toSorted((a, b) =>
            a.provision === b.provision ? a.version - b.version : a.provision < b.provision ? -1 : 1,
          ),
      ),
    insertDeclarations: (sent) =>
      statement(() => {
        for (const one of sent) insertDeclaration(draft, one);
      }),
    getPushEnd: (push) =>
      statement(() => {
        const found = draft.pushes.get(push);
        return found === undefined ? null : { endedAt: found.endedAt, message: found.result?.message ?? null };
      }),
    listToldAmong: ({ push, round, nodes }) =>
      statement(() =>
        (draft.told.get(push) ?? [])
          .flatMap((one) => (one.round === round && nodes.includes(one.node) ? [one.node] : []))
          .toSorted((a, b) => (a < b ? -1 : 1)),
      ),
    recordTold: (push, told) =>
      statement(() => {
        if (!draft.pushes.has(push)) throw new Error(`foreign key: what ${push} told, which is not there`);
        const known = [...(draft.told.get(push) ?? [])];
        for (const one of told) {
          const at = known.findIndex((other) => other.round === one.round && other.node === one.node);
          if (at === -1) known.push({ ...one, at: nowIso() });
          else if (known[at]?.outcome !== "sent") known[at] = { ...one, at: nowIso() };
        }
        draft.told = put(
          draft.told,
          push,
          known.toSorted((a, b) => a.round - b.round || (a.node < b.node ? -1 : a.node > b.node ? 1 : 0)),
        );
      }),
  };
}

function withdraw(draft: Draft, push: string, ids: readonly string[]): number {
  let count = 0;
  draft.provisions = mapChanged(draft.provisions, (one) => {
    if (one.provision.state !== "issued" || !ids.includes(one.provision.id)) return one;
    count += 1;
    const newest = newestDeclaration(draft, one.provision.provider.node);
    const isListed = newest?.granted.has(`${one.provision.id}#${one.provision.version}`) ?? true;
    const told = isListed ? null : (newest?.sent.order ?? null);
    return { ...one, provision: { ...one.provision, state: "owed" }, withdrawnBy: push, told };
  });
  return count;
}

function insert(draft: Draft, push: string, provisions: readonly Provision[]): void {
  for (const provision of provisions) {
    const same = draft.provisions.filter((one) => one.provision.id === provision.id);
    if (same.some((one) => one.provision.version === provision.version))
      throw new Error(`duplicate key: provision ${provision.id} version ${provision.version}`);
    if (same.some((one) => one.provision.state === "issued"))
      throw new Error(`duplicate key: provision ${provision.id} is issued`);
    const kept = {
      provision: { ...provision, state: "issued" as const },
      mintedBy: push,
      withdrawnBy: null,
      told: null,
    };
    draft.provisions = [...draft.provisions, kept];
  }
}

function insertDeclaration(draft: Draft, sent: NewDeclaration): void {
  const { declaration } = sent;
  const order = { epoch: declaration.epoch, number: declaration.number };
  for (const list of draft.declarations.values())
    if (list.some((one) => one.sent.order.epoch === order.epoch && one.sent.order.number === order.number))
      throw new Error(`duplicate key: declaration ${order.epoch}.${order.number}`);
  const { node, digest, incarnation } = declaration;
  const granted = new Set(
    declaration.content.resources.flatMap((resource) =>
      resource.kind === "grant" ? resource.grants.map((grant) => `${grant.provision}#${grant.version}`) : [],
    ),
  );
  const kept = {
    granted,
    sent: {
      node,
      order,
      digest,
      incarnation,
      builds: declaration.content.builds,
      offers: [...sent.offers],
      push: sent.push,
      round: sent.round,
      why: sent.why,
      issuedAt: declaration.issuedAt,
      staleAfter: declaration.staleAfter,
    },
    mail: { order, digest, incarnation, envelope: Buffer.from(sent.envelope) },
  };
  draft.declarations = put(draft.declarations, node, [...(draft.declarations.get(node) ?? []), kept]);
  draft.provisions = mapChanged(draft.provisions, (one) =>
    one.provision.provider.node === node &&
    one.provision.state === "owed" &&
    one.told === null &&
    !granted.has(`${one.provision.id}#${one.provision.version}`)
      ? { ...one, told: order }
      : one,
  );
}
