import type { Controller } from "./controllers/controller.ts";
import type { Faults } from "./faults.ts";
import type { Envelopes } from "./hosts/envelopes.ts";
import type { SimulatedHost } from "./hosts/host.ts";
import type { Waiters } from "./hosts/link.ts";
import type { Random } from "./random.ts";
import type { Setting } from "./setting.ts";
import type { StoreTwin } from "./store/twin.ts";
import type { Story } from "./story.ts";
import type { Timeline } from "./timeline.ts";

/** Everything that is in one simulated mesh. */
export interface Parts {
  readonly setting: Setting;
  readonly nodes: readonly string[];
  readonly random: Random;
  readonly timeline: Timeline;
  readonly story: Story;
  readonly store: StoreTwin;
  readonly envelopes: Envelopes;
  readonly faults: Faults;
  readonly waiters: Waiters;
  readonly controllers: Set<Controller>;
  readonly hosts: Map<string, SimulatedHost>;
  readonly openPushes: Set<string>;
  readonly counts: { sends: number; controllers: number; copies: number; incarnations: number; restores: number };
  /** Until when a node cannot be reached, and its disk is full. */
  readonly cuts: Map<string, number>;
  readonly full: Map<string, number>;
  /** When nothing that a node applies comes out as wanted. */
  readonly broken: Map<string, { readonly fromMs: number; readonly toMs: number }>;
  /** By how much a controller's wall clock was set back, beside its own jump. */
  readonly setBackMs: Map<string, number>;
  /** When the table of leases was emptied last. */
  readonly emptied: { atMs: number };
  /** When somebody came to hold the lease last. */
  readonly held: { atMs: number };
  /** Pushes that were open when the records were restored: what they did is known in part only. */
  readonly crossed: Set<string>;
  /** Nodes whose host will never be there again. */
  readonly gone: Set<string>;
  failure: unknown;
}

/** Checks look inside of what others call: what they find ends the run, whoever catches what they throw. */
export function guard(parts: Parts, check: () => void): void {
  try {
    check();
  } catch (error) {
    parts.failure ??= error;
  }
}
