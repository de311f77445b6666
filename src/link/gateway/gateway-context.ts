import type { ReplayGuard } from "../replay-guard.ts";
import type { Coalescer } from "./coalesce.ts";
import type { GatewayLimits } from "./gateway-limits.ts";
import type { GatewayLog } from "./gateway-log.ts";
import type { GatewayRecords } from "./gateway-records.ts";
import type { Waiters } from "./waiters.ts";

/** What every route of one gateway shares. */
export type GatewayContext = {
  readonly mesh: string;
  readonly records: GatewayRecords;
  readonly limits: GatewayLimits;
  readonly log: GatewayLog;
  readonly guard: ReplayGuard;
  readonly waiters: Waiters;
  readonly wakes: Coalescer;
  readonly webhookSecrets: Readonly<Record<string, readonly string[]>>;
  readonly nowMs: () => number;
};
