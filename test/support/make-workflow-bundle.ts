import { fileURLToPath } from "node:url";
import { bundleWorkflowCode } from "@temporalio/worker";

/** The workflows of `src`, as one file for a worker. */
export async function makeWorkflowBundle(): Promise<{ readonly code: string }> {
  return await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL("../../src/workflows/index.ts", import.meta.url)),
    logger: { trace: noop, debug: noop, info: noop, warn: noop, error: noop, log: noop },
  });
}

function noop(): void {}
