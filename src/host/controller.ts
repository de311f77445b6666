import type { HostClient } from "../link/host-client.ts";

/** The controller as a running host needs it: words and roots to fetch, reports to send, blobs to download. */
export type Controller = Pick<HostClient, "fetchDeclaration" | "fetchRoot" | "sendReport" | "downloadBlob">;
