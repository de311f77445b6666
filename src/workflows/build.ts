import { proxyActivities, setCurrentDetails, upsertSearchAttributes } from "@temporalio/workflow";
import type { BuildActivities } from "../activities/build.ts";
import type { BuildResult } from "../activities/build-result.ts";
import { buildMsLimit } from "../core/build-time.ts";
import { buildQueue } from "../decide/ids.ts";
import { meshOutcome, meshPhase } from "./attributes.ts";
import type { BuildInput } from "./messages.ts";

/**
 * One module at exact inputs. The id makes it one at a time; the record makes it at most once (R9). An environment
 * that failed is a result, *outstanding*, not a failure of the workflow: reconcile tries it again when it is due (R11).
 */
export async function build(input: BuildInput): Promise<BuildResult> {
  const { buildModule } = proxyActivities<BuildActivities>({
    taskQueue: buildQueue(input.mesh),
    startToCloseTimeout: buildMsLimit,
    heartbeatTimeout: "20 seconds",
    retry: { initialInterval: "1 second", backoffCoefficient: 2, maximumInterval: "30 seconds", maximumAttempts: 5 },
    summary: `build and judge ${input.module}`,
  });
  setCurrentDetails(`Building **${input.module}**: ${input.why}`);
  const result = await buildModule({ mesh: input.mesh, module: input.module, inputs: input.inputs });
  upsertSearchAttributes([
    { key: meshPhase, value: "ended" },
    { key: meshOutcome, value: result.state },
  ]);
  setCurrentDetails(`**${input.module}** is ${result.state}. ${result.message}`);
  return result;
}
