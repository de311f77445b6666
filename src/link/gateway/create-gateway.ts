import type { Certificate } from "../certificate-authority.ts";
import type { GatewayLimits } from "./gateway-limits.ts";
import type { GatewayRecords } from "./gateway-records.ts";

export type GatewayLog = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
};

export type GatewayOptions = {
  readonly mesh: string;
  readonly records: GatewayRecords;
  readonly tls: Certificate;
  readonly limits?: Partial<GatewayLimits>;
  readonly log: GatewayLog;
  /** Webhook source → its secrets; several while one is being rotated. */
  readonly webhookSecrets: Readonly<Record<string, readonly string[]>>;
  /** Go and look at this source (R7). Called at most once a second per source. */
  readonly wake: (source: string) => Promise<void>;
  readonly nowMs?: () => number;
};

export type Gateway = {
  /** Port 0: one chosen by the system. */
  listen(address: {
    readonly host: string;
    readonly port: number;
  }): Promise<{ readonly host: string; readonly port: number }>;
  /** For connections made from now on. */
  useCertificate(tls: Certificate): void;
  /** Answers every long poll with 204, waits for requests under way, then ends. */
  close(): Promise<void>;
};

export async function createGateway(_options: GatewayOptions): Promise<Gateway> {
  throw new Error("not written yet");
}
