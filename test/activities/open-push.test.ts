import { describe, expect, it } from "vitest";
import type { PushDependencies } from "../../src/activities/control-dependencies.ts";
import { openNewPush } from "../../src/activities/open-push.ts";
import type { PushRecords } from "../../src/activities/push-records.ts";
import { UnavailableError } from "../../src/core/errors.ts";
import { openTwin } from "../simulation/store/both-stores.ts";

const request = { mesh: "home", push: "push-1", kind: "all", named: [], requestedBy: "test", why: "" } as const;
const round = { push: "push-1", round: 0, from: 0, count: 10 };

function dependencies(records: PushRecords): PushDependencies {
  return {
    records,
    limits: { silentAfterMs: 60_000, recordsStaleAfterMs: 60_000, sourcesStaleAfterMs: 60_000 },
    nowMs: () => Date.UTC(2026, 0, 1),
  };
}

describe("opening a push", () => {
  it("tells those whom its first attempt named, also when a retry sees fewer (R18, R19)", async () => {
    const { push } = openTwin("home");
    const cut: PushRecords = { ...push, recordTargets: () => Promise.reject(new UnavailableError("cut")) };
    await expect(openNewPush(dependencies(cut), request)).rejects.toThrow("cut");
    const later: PushRecords = {
      ...push,
      async readView(options) {
        const view = await push.readView(options);
        return { ...view, nodes: new Map([...view.nodes].filter(([name]) => name !== "node-c")) };
      },
    };
    await openNewPush(dependencies(later), request);
    expect((await push.getPush("push-1"))?.named).toEqual(["node-a", "node-b", "node-c"]);
    expect((await push.listTargets(round)).map(({ node }) => node)).toEqual(["node-a", "node-b", "node-c"]);
  });
});
