import type { RecordsRefusedError } from "../../core/errors.ts";
import type { ReplayGuard } from "../replay-guard.ts";
import type { BodyBudget } from "./body-budget.ts";
import type { Coalescer } from "./coalesce.ts";
import type { GatewayLimits } from "./gateway-limits.ts";
import type { GatewayLog } from "./gateway-log.ts";
import type { GatewayRecords } from "./gateway-records.ts";
import type { Waiters } from "./waiters.ts";

/**
 * Who calls as a host and is not let in. With a key that the records do not know: the name is what it says of itself. Or the
 * host itself, by its own key, at a time that is so far from the controller's: `behindMs` is less than 0 where it is ahead.
 */
export type Stranger =
  | { readonly node: string; readonly why: "not-enrolled" | "other-key" | "removed" }
  | { readonly node: string; readonly why: "clock"; readonly behindMs: number };

/** How a call on a route went with the records: refused until a person mends them, or null for one that went through. */
export type RecordsAnswer = { readonly route: string; readonly refused: RecordsRefusedError | null };

/** What every route of one gateway shares. */
export type GatewayContext = {
  readonly mesh: string;
  readonly records: GatewayRecords;
  readonly limits: GatewayLimits;
  readonly log: GatewayLog;
  readonly guard: ReplayGuard;
  readonly waiters: Waiters;
  readonly wakes: Coalescer;
  readonly bodies: BodyBudget;
  readonly webhookSecrets: Readonly<Record<string, readonly string[]>>;
  /** Told of each such call: nothing may be waited for, and nobody is to be believed. */
  readonly onStranger: (stranger: Stranger) => void;
  /** Told after each call that went through, and of each that the records refused: nothing may be waited for. */
  readonly onRecords: (answer: RecordsAnswer) => void;
  readonly nowMs: () => number;
};
