import { envelopeBytesLimit } from "../core/declaration.ts";

/** What is refused unread, on both sides: the sender checks what the receiver will. */
export type LinkLimits = {
  /** Of a whole DSSE envelope, as it travels. */
  readonly envelopeBytes: number;
  /** Nesting of a signed body. */
  readonly depth: number;
};

/** 64 keys and as many signatures take a third of it. */
export const rootBytesLimit = 64 * 1024;

export const defaultLinkLimits: LinkLimits = { envelopeBytes: envelopeBytesLimit, depth: 32 };
