import { ApplicationFailure } from "@temporalio/common";
import { expect, it } from "vitest";
import { createDeliverActivities, type DeliverDependencies } from "../../src/activities/deliver.ts";
import { InputError, StoppedError } from "../../src/core/errors.ts";
import { type ActivitySeen, runInActivity } from "./support/in-activity.ts";

it.each([
  ["bad input", new InputError("node a has no usable sealing key", "Enrol this node again."), "Enrol this node again."],
  ["a stopped mesh", new StoppedError("the mesh is stopped"), "see what each host has: mesh recover"],
])("a telling that ends at %s tells whoever waits what to do next (R48)", async (_what, error, next) => {
  const records = { listTargets: () => Promise.reject(error) } as unknown as DeliverDependencies["records"];
  const deps = { mesh: "demo", records } as DeliverDependencies;
  const seen: ActivitySeen = { heartbeats: 0, warnings: [] };
  const request = { mesh: "demo", push: "p-1", round: 0, from: 0, count: 1, confirmRemoval: false };
  const failure = await runInActivity(seen, () => createDeliverActivities(deps).tell(request)).catch(
    (thrown: unknown) => thrown,
  );
  expect(failure).toBeInstanceOf(ApplicationFailure);
  expect(failure).toMatchObject({ message: error.message, type: error.name, nonRetryable: true, details: [next] });
});
