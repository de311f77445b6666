import type { Declaration, Order } from "../core/declaration.ts";
import type { Digest, Name } from "../core/names.ts";
import type { RefusalCheck } from "../core/report.ts";

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

/** Whether a host takes a declaration, checked before anything is touched (R27, R38, R43). First failing check wins. */
export function acceptDeclaration(_input: AcceptInput): Acceptance {
  throw new Error("not written yet");
}
