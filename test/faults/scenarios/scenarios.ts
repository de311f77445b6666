import { clockScenarios } from "./clock-scenarios.ts";
import { failpointScenarios } from "./failpoint-scenarios.ts";
import { loadScenarios } from "./load-scenarios.ts";
import { networkScenarios } from "./network-scenarios.ts";
import { orderScenarios } from "./order-scenarios.ts";
import { recordScenarios } from "./record-scenarios.ts";
import type { Scenario } from "./scenario.ts";
import { temporalScenarios } from "./temporal-scenarios.ts";

/** Every scenario of a round. */
export const scenarios: readonly Scenario[] = [
  ...orderScenarios,
  ...recordScenarios,
  ...temporalScenarios,
  ...networkScenarios,
  ...loadScenarios,
  ...failpointScenarios,
];

/**
 * Run by name only, like `three-controllers`: below libfaketime a controller's own start can take longer than its lease
 * on a busy machine, which says nothing about clocks.
 */
export const namedScenarios: readonly Scenario[] = clockScenarios;
