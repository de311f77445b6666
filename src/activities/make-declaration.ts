import type { Declaration, SealedBox } from "../core/declaration.ts";
import type { Content } from "../core/declaration.ts";
import type { Name } from "../core/names.ts";
import type { TellDecision } from "../decide/decide-tell.ts";
import type { World } from "../decide/world.ts";
import type { NewDeclaration } from "../store/declarations.ts";
import type { Recipient } from "../store/sealed-boxes.ts";
import type { GateRecords } from "./push-records.ts";
import type { TellDependencies } from "./tell.ts";

export interface Sending {
  readonly world: World;
  readonly target: { readonly node: Name };
  readonly decision: Extract<TellDecision, { kind: "send" }>;
  readonly push: string;
  readonly round: number;
  readonly number: number;
}

/** Signs what was decided; in the transaction that took its number it is to be put into the node's mailbox (R28). */
export async function makeDeclaration(
  gate: GateRecords,
  sender: TellDependencies,
  sending: Sending,
): Promise<NewDeclaration> {
  const { decision, target } = sending;
  const incarnation = sending.world.nodes.get(target.node)?.incarnation;
  if (incarnation === null || incarnation === undefined)
    throw new Error(`${target.node} has no enrolled host to declare to`);
  const issuedAtMs = sender.nowMs();
  const declaration: Declaration = {
    schema: 1,
    mesh: sender.mesh,
    node: target.node,
    incarnation,
    epoch: sender.epoch,
    number: sending.number,
    issuedAt: new Date(issuedAtMs).toISOString(),
    staleAfter: new Date(issuedAtMs + sender.staleAfterMs).toISOString(),
    digest: decision.digest,
    content: decision.content,
    sealed: await listBoxes(gate, { node: target.node, incarnation }, decision.content),
  };
  const envelope = sender.signDeclaration(declaration);
  return {
    declaration,
    envelope,
    offers: decision.offers,
    push: sending.push,
    round: sending.round,
    why: decision.why,
  };
}

/** The boxes that the content refers to. One that is missing was sealed to another host: nothing is sent without it. */
async function listBoxes(gate: GateRecords, recipient: Recipient, content: Content): Promise<SealedBox[]> {
  const wanted = content.resources.flatMap((resource): readonly { provision: string; version: number }[] => {
    if (resource.kind === "grant") return resource.grants;
    return resource.kind === "file" && resource.content.from === "provisions" ? resource.content.references : [];
  });
  if (wanted.length === 0) return [];
  const unique = new Map(wanted.map(({ provision, version }) => [`${provision}#${version}`, { provision, version }]));
  const boxes = await gate.listSealedBoxes(recipient, [...unique.values()]);
  const missing = [...unique.keys()].filter((key) => !boxes.some((box) => `${box.provision}#${box.version}` === key));
  if (missing.length > 0)
    throw new Error(`no credentials of ${missing.join(", ")} are sealed to the present host of ${recipient.node}`);
  return boxes;
}
