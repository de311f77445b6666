import { readFile } from "node:fs/promises";
import { inject } from "vitest";
import { makeWorkflowBundle } from "./make-workflow-bundle.ts";

let bundle: Promise<{ readonly code: string }> | undefined;

/** The workflows as a worker loads them: what the run's setup made, where there is one, else made once per test file. */
export function bundleWorkflows(): Promise<{ readonly code: string }> {
  bundle ??= readOrMake(inject("workflowBundleFile"));
  return bundle;
}

async function readOrMake(file: string | undefined): Promise<{ readonly code: string }> {
  return file === undefined ? makeWorkflowBundle() : { code: await readFile(file, "utf8") };
}
