import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FaultBed } from "../mesh/bed.ts";
import type { Controller } from "../mesh/controllers.ts";
import { handOver, readEpoch, waitForEnd, waitForNewEpoch } from "../mesh/hand-over.ts";
import { pushShop } from "../mesh/workload.ts";
import { waitFor } from "../../beds/support/wait-for.ts";
import type { Scenario } from "./scenario.ts";

/** Debian's package `libfaketime`: a program's wall clock by a file, its monotonic clock left alone. */
const library = ["x86_64", "aarch64"]
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`)
  .find((path) => existsSync(path));

export const hasFakeClock = library !== undefined;

/** The wall clock of the holder moves under it. */
export const clockScenarios: readonly Scenario[] = [
  {
    name: "clock-forward",
    what: "the holder's wall clock jumps an hour ahead: it stops early at most, and another one takes over (R34)",
    group: "clock",
    needs: "libfaketime",
    async run(bed) {
      const { controller, setClock } = await handOverWithClock(bed);
      const epoch = await readEpoch(bed);
      await setClock("+3600");
      const push = await pushShop(bed);
      await waitForNewEpoch(bed, epoch);
      await waitForEnd(controller);
      await push.answered;
    },
  },
  {
    name: "clock-back",
    what: "the holder's wall clock jumps an hour back, then it is stopped past its lease's age: nothing is extended (R34)",
    group: "clock",
    needs: "libfaketime",
    async run(bed) {
      const { controller, setClock } = await handOverWithClock(bed);
      const epoch = await readEpoch(bed);
      await setClock("-3600");
      const beats = (): number => bed.recorder.leases.filter((lease) => lease.epoch === epoch).length;
      const from = beats();
      await waitFor("two renewals by a clock that is wrong", async () => (beats() >= from + 2 ? true : null), 60_000);
      controller.signal("SIGSTOP");
      const push = await pushShop(bed);
      await waitForNewEpoch(bed, epoch);
      controller.signal("SIGCONT");
      await waitForEnd(controller);
      await push.answered;
    },
  },
];

async function handOverWithClock(
  bed: FaultBed,
): Promise<{ controller: Controller; setClock: (offset: string) => Promise<void> }> {
  const file = join(bed.folder, "clock");
  const setClock = (offset: string): Promise<void> => writeFile(file, `${offset}\n`);
  await setClock("+0");
  const controller = await handOver(bed, {
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      // Read at every look at the clock, the file would cost more than a busy machine has.
      FAKETIME_CACHE_DURATION: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    },
  });
  return { controller, setClock };
}
