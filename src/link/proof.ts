import type { SigningKey } from "./keys.ts";
import type { ReplayGuard } from "./replay-guard.ts";

export const proofHeader = "mesh-proof";
/** How far the two clocks may be apart. */
export const proofWindowMs = 60_000;

/** A proof as it was sent; nothing in it is believed before `checkProof`. */
export type Proof = {
  readonly node: string;
  readonly atMs: number;
  readonly nonce: string;
  readonly signature: Buffer;
};
export type ProofRefusal = "missing" | "malformed" | "clock" | "signature" | "replayed";

/** The header that shows possession of the host's key for exactly this request. `path` includes the query. */
export function makeProof(
  _request: {
    readonly node: string;
    readonly method: string;
    readonly path: string;
    readonly body: Uint8Array;
    readonly nowMs: number;
  },
  _key: SigningKey,
): string {
  throw new Error("not written yet");
}

export function readProof(
  _header: string | undefined,
): { readonly ok: true; readonly proof: Proof } | { readonly ok: false; readonly reason: ProofRefusal } {
  throw new Error("not written yet");
}

export function checkProof(
  _proof: Proof,
  _request: {
    readonly method: string;
    readonly path: string;
    readonly body: Uint8Array;
    readonly publicKey: string;
    readonly nowMs: number;
  },
  _guard: ReplayGuard,
): { readonly ok: true } | { readonly ok: false; readonly reason: ProofRefusal } {
  throw new Error("not written yet");
}
