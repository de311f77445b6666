import { readdirSync, readFileSync } from "node:fs";
import { DefaultLogger, Runtime, Worker } from "@temporalio/worker";
import { DeterminismViolationError } from "@temporalio/workflow";
import { describe, expect, it } from "vitest";
import { bundleWorkflows } from "../support/workflow-bundle.ts";

Runtime.install({
  logger: new DefaultLogger("ERROR", () => undefined),
  shutdownSignals: [],
  telemetryOptions: { logging: { filter: { core: "ERROR", other: "ERROR" }, forward: {} } },
});

const folder = new URL("../histories/", import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith(".json"));

interface History {
  readonly events: { activityTaskScheduledEventAttributes?: { activityType: { name: string } } }[];
}

function readHistory(name: string): History {
  return JSON.parse(readFileSync(new URL(name, folder), "utf8")) as History;
}

async function replay(history: History): Promise<void> {
  await Worker.runReplayHistory({ workflowBundle: await bundleWorkflows() }, history);
}

describe("recorded histories", { timeout: 60_000 }, () => {
  it("are there for every type of workflow (R47)", () => {
    for (const type of ["build", "push", "reconcile", "round"])
      expect(names.filter((name) => name.startsWith(type))).not.toEqual([]);
  });

  it.each(names)("replay with the workflows of now: %s (R47)", async (name) => {
    await expect(replay(readHistory(name))).resolves.toBeUndefined();
  });

  it.each(["reconcile.json", "push-with-cascade.json"])(
    "do not replay once they were altered, so this test can fail: %s",
    async (name) => {
      const history = readHistory(name);
      const scheduled = history.events.find((event) => event.activityTaskScheduledEventAttributes !== undefined);
      if (scheduled?.activityTaskScheduledEventAttributes === undefined) throw new Error(`${name} has no activity`);
      scheduled.activityTaskScheduledEventAttributes.activityType.name = "somethingElse";
      await expect(replay(history)).rejects.toThrow(DeterminismViolationError);
    },
  );
});
