import type { Declaration, Order } from "../core/declaration.ts";
import type { RefusalCheck } from "../core/report.ts";
import type { SigningKey } from "./keys.ts";
import type { LinkLimits } from "./limits.ts";
import type { Root } from "./root.ts";

export type DeclarationRefusal = {
  readonly ok: false;
  readonly check: RefusalCheck;
  readonly message: string;
  /** The order it claimed; only read from a body whose signature was good. */
  readonly offered: Order | null;
};
export type OpenedDeclaration = {
  readonly ok: true;
  readonly declaration: Declaration;
  readonly keyIds: readonly string[];
};

/** Throws InputError when the result would be more than hosts accept. */
export function sealDeclaration(_declaration: Declaration, _keys: readonly SigningKey[], _limits?: LinkLimits): Buffer {
  throw new Error("not written yet");
}

/** All checks but the order's (that needs what the host has): signature, key, schema, mesh, node, incarnation, digest. */
export function openDeclaration(
  _bytes: Uint8Array,
  _options: {
    readonly root: Root;
    readonly mesh: string;
    readonly node: string;
    readonly incarnation: string;
    readonly nowMs: number;
    readonly limits?: LinkLimits;
  },
): OpenedDeclaration | DeclarationRefusal {
  throw new Error("not written yet");
}
