import type { Declaration } from "../../core/declaration.ts";
import type { Resource } from "../../core/resource.ts";
import { acceptDeclaration, type Mark } from "../../decide/accept-declaration.ts";
import { orderResources } from "../../decide/order-resources.ts";
import type { DeclarationRefusal, OpenedDeclaration } from "../../link/declaration-envelope.ts";
import type { HostIdentity } from "../host-identity.ts";
import type { NewRefusal } from "../state/refusals.ts";

/** As many as `contentSchema` lets through. */
const resourcesLimit = 5000;

/** What the host goes by: verified, accepted, and in the order in which it is applied. */
export interface Accepted {
  readonly declaration: Declaration;
  readonly ordered: readonly Resource[];
}

/** Whose host this is, and how it opens what it is sent: signature, key, schema, mesh, node, incarnation, digest. */
export interface Addressee extends Pick<HostIdentity, "mesh" | "node" | "incarnation"> {
  open(envelope: Uint8Array, nowMs: number): OpenedDeclaration | DeclarationRefusal;
  /** All of that but signature and key. */
  openUnsigned(envelope: Uint8Array): OpenedDeclaration | DeclarationRefusal;
}

export type Checked =
  | { readonly kind: "new" | "known"; readonly accepted: Accepted }
  | { readonly kind: "refused"; readonly refusal: NewRefusal };

/** Every check there is, before anything is touched or fetched (R43, case 45). */
export function checkEnvelope(envelope: Uint8Array, addressee: Addressee, mark: Mark | null, nowMs: number): Checked {
  const { mesh, node, incarnation } = addressee;
  const opened = addressee.open(envelope, nowMs);
  if (!opened.ok) return refused(opened);
  const { declaration } = opened;
  const offered = { epoch: declaration.epoch, number: declaration.number };
  const limits = { resources: resourcesLimit };
  const acceptance = acceptDeclaration({ have: mark, mesh, node, incarnation, offered: declaration, limits });
  if (acceptance.kind === "refuse") return refused({ ...acceptance, offered });
  const ordered = orderResources(declaration.content.resources);
  if (ordered.kind === "refused") return refused({ check: "schema", message: ordered.message, offered });
  return {
    kind: acceptance.kind === "accept" ? "new" : "known",
    accepted: { declaration, ordered: ordered.resources },
  };
}

/**
 * What this host kept when it accepted it, whose key is good no more: a key that ends, or is taken out of the root, must
 * not keep a machine from coming up. Only the very order and content that the mark was written for; else the refusal.
 */
export function checkKept(
  envelope: Uint8Array,
  addressee: Addressee,
  mark: Mark | null,
  refusal: Extract<Checked, { kind: "refused" }>,
): Checked {
  if (refusal.refusal.check !== "key" || mark === null) return refusal;
  const { mesh, node, incarnation } = addressee;
  const openUnsigned = (bytes: Uint8Array) => addressee.openUnsigned(bytes);
  const checked = checkEnvelope(envelope, { mesh, node, incarnation, openUnsigned, open: openUnsigned }, mark, 0);
  // `known`: the mark has this order, this digest and this incarnation.
  return checked.kind === "known" ? checked : refusal;
}

function refused({ check, message, offered }: NewRefusal): Checked {
  return { kind: "refused", refusal: { check, message, offered } };
}
