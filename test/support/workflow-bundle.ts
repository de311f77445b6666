import { fileURLToPath } from "node:url";
import { bundleWorkflowCode } from "@temporalio/worker";

let bundle: Promise<{ code: string }> | undefined;

/** The workflows as a worker loads them, bundled once per test file. */
export function bundleWorkflows(): Promise<{ code: string }> {
  bundle ??= bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL("../../src/workflows/index.ts", import.meta.url)),
    logger: { trace: noop, debug: noop, info: noop, warn: noop, error: noop, log: noop },
  });
  return bundle;
}

function noop(): void {}
