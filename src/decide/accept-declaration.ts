import type { Declaration, Order } from "../core/declaration.ts";
import type { Digest, Name } from "../core/names.ts";
import type { RefusalCheck } from "../core/report.ts";
import { digestValue } from "./digest.ts";
import { jumpLimits } from "./jump-limits.ts";
import { compareOrder, describeOrder } from "./order.ts";

/** What the host has accepted, as kept on its disk. */
export interface Mark {
  readonly order: Order;
  readonly digest: Digest;
  readonly incarnation: string;
}

export interface AcceptInput {
  /** Null: nothing accepted yet. */
  readonly have: Mark | null;
  readonly mesh: Name;
  readonly node: Name;
  readonly incarnation: string;
  /** Signature checked and schema parsed already. */
  readonly offered: Declaration;
  readonly limits: { readonly resources: number };
}

export type Acceptance =
  | { readonly kind: "accept" }
  | { readonly kind: "duplicate" }
  | { readonly kind: "refuse"; readonly check: RefusalCheck; readonly message: string };

/**
 * Whether a host takes a declaration, checked before anything is touched (R27, R38, R43). The first check that fails is
 * the reason: for whom it is, then what is in it, then its place in the order.
 */
export function acceptDeclaration(input: AcceptInput): Acceptance {
  return checkAddress(input) ?? checkContent(input) ?? checkOrder(input);
}

function checkAddress({ mesh, node, incarnation, offered }: AcceptInput): Acceptance | null {
  if (offered.mesh !== mesh) return refuse("mesh", `it is for mesh ${offered.mesh}, this host is of ${mesh}`);
  if (offered.node !== node) return refuse("node", `it is for node ${offered.node}, this host is ${node}`);
  if (offered.incarnation !== incarnation) {
    return refuse(
      "incarnation",
      `it is for host ${offered.incarnation} of ${node}, this one enrolled as ${incarnation}`,
    );
  }
  if (offered.content.node !== node) return refuse("node", `its content is for node ${offered.content.node}`);
  return null;
}

function checkContent({ offered, limits }: AcceptInput): Acceptance | null {
  const { resources } = offered.content;
  if (resources.length > limits.resources) {
    return refuse("size", `it has ${resources.length} resources, this host takes ${limits.resources}`);
  }
  const unsorted = resources.find((resource, at) => at > 0 && resource.id <= (resources[at - 1]?.id ?? ""));
  if (unsorted !== undefined) return refuse("schema", `resource ${unsorted.id} is there twice or out of order`);
  const digest = digestValue(offered.content);
  if (digest !== offered.digest) return refuse("digest", `its content has digest ${digest}, it says ${offered.digest}`);
  return null;
}

/** A mark of another incarnation does not count: enrolling again is the way out of a fence that went too far. */
function checkOrder({ have, incarnation, offered }: AcceptInput): Acceptance {
  if (have === null || have.incarnation !== incarnation) return checkJump(offered, null);
  const place = compareOrder(offered, have.order);
  const ours = describeOrder(have.order);
  if (place > 0) return checkJump(offered, have.order);
  if (place < 0) return refuse("older", `it is ${describeOrder(offered)}, this host has ${ours}`);
  if (offered.digest === have.digest) return { kind: "duplicate" };
  return refuse(
    "same-number-other-digest",
    `two contents under ${ours}: it has ${offered.digest}, here is ${have.digest}`,
  );
}

/** A mark that was pushed to the end of the number space would let nothing in any more (R35): see `jumpLimits`. */
function checkJump({ epoch, number }: Declaration, from: Order | null): Acceptance {
  const offered = describeOrder({ epoch, number });
  const { ceiling, epochs, numbers } = jumpLimits;
  if (epoch > ceiling || number > ceiling)
    return refuse("jump", `it is ${offered}, no host takes more than ${ceiling}`);
  if (from === null) return { kind: "accept" };
  const what =
    epoch - from.epoch > epochs ? `${epochs} epochs` : number - from.number > numbers ? `${numbers} numbers` : null;
  if (what === null) return { kind: "accept" };
  return refuse("jump", `it is ${offered}, more than ${what} above ${describeOrder(from)}, which this host has`);
}

function refuse(check: RefusalCheck, message: string): Acceptance {
  return { kind: "refuse", check, message };
}
