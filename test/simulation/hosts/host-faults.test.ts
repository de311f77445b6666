import { describe, expect, it } from "vitest";
import type { FaultName } from "../faults.ts";
import { runSeed } from "../run-seed.ts";
import { fullSetting } from "../setting.ts";

/** What a few seeds with these faults alone say of hosts. */
async function storiesWith(...switches: readonly FaultName[]): Promise<string> {
  const setting = { ...fullSetting, switches: new Set(switches), keepLines: 10_000, acts: 40 };
  const stories: string[] = [];
  for (const seed of [1, 2, 3]) {
    const { story, violation } = await runSeed(seed, setting);
    expect(violation).toBeNull();
    stories.push(...story);
  }
  return stories.join("\n");
}

/** Hosts run under them: what they break shows only where they come. */
describe("the faults of hosts", () => {
  it("have one stand still and go on, while others are sent something (case 35)", async () => {
    expect(await storiesWith()).not.toContain("stands still");
    const story = await storiesWith("stall");
    expect(story).toMatch(
      /the host of (node-.) stands still.*\n(?:.*\n)*?.* commits .*\n(?:.*\n)*?.*the host of \1 goes on/,
    );
  });

  it("have what cannot be removed said to be failed, and removed later (R20)", async () => {
    expect(await storiesWith()).not.toContain("reports failed");
    expect(await storiesWith("unclean")).toMatch(/(node-.) reports failed at .*\n(?:.*\n)*?.*\1 reports applied at/);
  });
});
