import type { Order } from "../core/declaration.ts";
import type { Digest } from "../core/names.ts";
import type { HostKeys } from "../core/node.ts";
import type { SigningKey } from "./keys.ts";
import type { LinkLimits } from "./limits.ts";

export type HostClientOptions = {
  /** https://host:port, from the enrolment token. */
  readonly url: string;
  /** The only authority that is believed. */
  readonly caPem: string;
  readonly node: string;
  readonly signKey: SigningKey;
  readonly limits?: LinkLimits;
  /** For the time in proofs. */
  readonly nowMs?: () => number;
};

export type Enrolled = {
  readonly mesh: string;
  readonly node: string;
  readonly incarnation: string;
  /** DSSE bytes; verify before pinning. */ readonly root: Buffer;
};

/**
 * The host's side of the link. Every call throws UnavailableError when nobody answered (or answered 5xx, 429),
 * RefusedError when the gateway said no, and the system's own error when a local file could not be written.
 */
export type HostClient = {
  enrol(request: { readonly secret: string; readonly keys: HostKeys }): Promise<Enrolled>;
  /** The newest envelope after what the host has, exact bytes; null: nothing newer within `waitMs` (≤ 55,000). */
  fetchDeclaration(after: Order | null, waitMs: number, signal?: AbortSignal): Promise<Buffer | null>;
  /** `kept: false`: the gateway has a later one, or does not know this node (409). */
  sendReport(
    envelope: Uint8Array,
    signal?: AbortSignal,
  ): Promise<{ readonly kept: true } | { readonly kept: false; readonly why: string }>;
  /**
   * Writes the blob to `toFile`, going on at `fromByte` of what is there, and checks its digest over the whole file;
   * a file with another digest is removed and RefusedError (`digest`) thrown. A cut download leaves what came.
   */
  downloadBlob(
    digest: Digest,
    toFile: string,
    options: { readonly fromByte?: number; readonly maxBytes: number; readonly signal?: AbortSignal },
  ): Promise<{ readonly bytes: number }>;
  /** Ends its connections. */
  close(): void;
};

export function createHostClient(_options: HostClientOptions): HostClient {
  throw new Error("not written yet");
}
