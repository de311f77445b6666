import { leaseAgeMs } from "../../../src/decide/lease.ts";
import type { Random } from "../../simulation/random.ts";
import { measureWithoutHolder } from "../history/recorder.ts";
import type { FaultBed } from "../mesh/bed.ts";
import type { Controller } from "../mesh/controllers.ts";
import { readEpoch, waitForEnd, waitForNewEpoch } from "../mesh/hand-over.ts";
import { editSite, moveShop, startPush } from "../mesh/workload.ts";
import type { Scenario } from "./scenario.ts";

/** Three controllers, pushes all the time, and the holder paused, killed and cut off from the records in turn. */
export function createThreeControllers(minutes: number): Scenario {
  return {
    name: "three-controllers",
    what: `three controllers for ${minutes} minutes under pushes; the holder is paused, killed, cut off in turn (R34–R36, R50)`,
    group: "controller",
    async run(bed, random) {
      const untilMs = performance.now() + minutes * 60_000;
      bed.controllers.keep(3);
      await bed.controllers.waitForHolder();
      const from = bed.recorder.leases.length;
      // Two people at once: one push has a cascade, the other has none.
      const working = Promise.all([keepPushing(bed, untilMs, "shop"), keepPushing(bed, untilMs, "site")]);
      const counts = { paused: 0, killed: 0, "cut off": 0 };
      try {
        for (let turn = 0; performance.now() < untilMs; turn += 1) {
          const what = (["paused", "killed", "cut off"] as const)[turn % 3] ?? "paused";
          await failHolder(bed, what, random);
          counts[what] += 1;
          bed.say(`  the holder was ${what}; epoch ${await readEpoch(bed)} acts now`);
          await waitForPush(bed, untilMs);
        }
      } finally {
        const pushed = (await working).reduce((sum, count) => sum + count, 0);
        const { longestMs, sumMs } = measureWithoutHolder(bed.recorder.leases.slice(Math.max(0, from - 1)), leaseAgeMs);
        const times = Object.entries(counts).map(([what, count]) => `${what} ${count} times`);
        bed.say(`  three controllers for ${minutes} minutes: ${pushed} pushes; the holder was ${times.join(", ")}`);
        bed.say(
          `  without a holder, beyond the ${leaseAgeMs / 1000} s of a lease: ${seconds(sumMs)} in all, ${seconds(longestMs)} at most at once`,
        );
        bed.controllers.keep(2);
      }
    },
  };
}

async function failHolder(bed: FaultBed, what: "paused" | "killed" | "cut off", random: Random): Promise<void> {
  const holder: Controller = await bed.controllers.waitForHolder();
  const epoch = await readEpoch(bed);
  switch (what) {
    case "killed":
      holder.signal("SIGKILL");
      break;
    case "paused":
      holder.signal("SIGSTOP");
      break;
    case "cut off":
      holder.road.block(random.pick(["to", "from", "both"]));
  }
  await waitForNewEpoch(bed, epoch);
  holder.signal("SIGCONT");
  holder.road.heal();
  await waitForEnd(holder);
}

/** Until a push has ended under the new holder, so that what it does is under fault too; or until the time is over. */
async function waitForPush(bed: FaultBed, untilMs: number): Promise<void> {
  const from = bed.answers.length;
  while (bed.answers.length === from && performance.now() < untilMs)
    await new Promise((resolve) => setTimeout(resolve, 200));
}

/** One push after another; how many. */
async function keepPushing(bed: FaultBed, untilMs: number, what: "shop" | "site"): Promise<number> {
  let count = 0;
  while (performance.now() < untilMs) {
    await (what === "shop" ? moveShop(bed) : editSite(bed));
    const push = await startPush(bed, what === "shop" ? "node-a" : "node-c");
    await push.answered;
    count += 1;
  }
  return count;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
