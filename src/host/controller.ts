import type { Order } from "../core/declaration.ts";
import type { Digest } from "../core/names.ts";

/** What the controller answered to a report. */
export type ReportAnswer = { readonly kind: "accepted" } | { readonly kind: "refused"; readonly why: string };

/** The controller as a host sees it: one URL. Every call throws UnavailableError where there was no answer. */
export interface Controller {
  /** The newest declaration after what we hold, or null when there is none within `waitSeconds`. */
  fetchDeclaration(request: {
    readonly after: Order | null;
    readonly waitSeconds: number;
    readonly signal: AbortSignal;
  }): Promise<Uint8Array | null>;
  /** `envelope` is a signed report; sending the same one again is harmless. */
  sendReport(envelope: Uint8Array, signal: AbortSignal): Promise<ReportAnswer>;
  /** The bytes of a blob from `from` on. */
  fetchBlob(request: {
    readonly digest: Digest;
    readonly from: number;
    readonly signal: AbortSignal;
  }): Promise<AsyncIterable<Uint8Array>>;
}
