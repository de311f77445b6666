import { clockScenarios } from "./clock-scenarios.ts";
import { failpointScenarios } from "./failpoint-scenarios.ts";
import { loadScenarios } from "./load-scenarios.ts";
import { networkScenarios } from "./network-scenarios.ts";
import { orderScenarios } from "./order-scenarios.ts";
import { recordScenarios } from "./record-scenarios.ts";
import type { Scenario } from "./scenario.ts";
import { temporalScenarios } from "./temporal-scenarios.ts";

/** Every scenario of a round; `three-controllers` is run by its name only. */
export const scenarios: readonly Scenario[] = [
  ...orderScenarios,
  ...recordScenarios,
  ...temporalScenarios,
  ...networkScenarios,
  ...clockScenarios,
  ...loadScenarios,
  ...failpointScenarios,
];
