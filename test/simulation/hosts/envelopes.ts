import type { Declaration } from "../../../src/core/declaration.ts";
import type { DeclarationRefusal, OpenedDeclaration } from "../../../src/link/declaration-envelope.ts";

/**
 * Symbolic signatures: an envelope is a token for what was signed, so nobody can make one that was not. The real
 * cryptography has tests of its own; here it would only cost time.
 */
export interface Envelopes {
  sign(declaration: Declaration): Uint8Array;
  open(envelope: Uint8Array, mesh: string): OpenedDeclaration | DeclarationRefusal;
}

export function createEnvelopes(): Envelopes {
  const signed = new Map<string, Declaration>();
  let count = 0;
  return {
    sign(declaration) {
      count += 1;
      const token = `envelope ${count}`;
      signed.set(token, declaration);
      return Buffer.from(token);
    },
    open(envelope) {
      const declaration = signed.get(Buffer.from(envelope).toString());
      if (declaration === undefined)
        return { ok: false, check: "signature", message: "nobody signed this", offered: null };
      return { ok: true, declaration, keyIds: ["declaration-key"] };
    },
  };
}
