import { waitFor } from "../../beds/support/wait-for.ts";
import type { FaultBed } from "./bed.ts";
import { acts, waits, type Controller, type StartOptions } from "./controllers.ts";

/** Those that stand by beside the one that acts. */
const kept = 2;

/**
 * Makes a fresh controller the one that acts: it waits, the others are ended in order, the lease is given back to it;
 * then another one is started that stands by, unarmed where nothing else is said. Where one of its own failpoints comes
 * first, answers at that.
 */
export async function handOver(
  bed: FaultBed,
  options: StartOptions = {},
  standby: StartOptions = {},
): Promise<Controller> {
  const { controllers } = bed;
  await controllers.waitForHolder();
  const before = controllers.alive;
  controllers.keep(0);
  const fresh = await controllers.start(options);
  await fresh.hears(waits);
  for (const one of before) one.signal("SIGTERM");
  await Promise.all(before.map(({ ended }) => ended));
  await waitFor(
    `${fresh.name} takes over`,
    async () => (fresh.text().includes(acts) || fresh.text().includes("\nfailpoint ") ? true : null),
    60_000,
  );
  if (!fresh.text().includes("\nfailpoint ")) await fresh.hears('"ready"');
  controllers.keep(kept, standby);
  return fresh;
}

export async function readEpoch(bed: FaultBed): Promise<number> {
  const [mesh] = await bed.read<{ epoch: number }>("select epoch::int from mesh");
  if (mesh === undefined) throw new Error("there is no mesh in the records");
  return mesh.epoch;
}

/** Until somebody was granted a higher epoch than this. */
export async function waitForNewEpoch(bed: FaultBed, than: number, withinMs = 120_000): Promise<void> {
  await waitFor(`an epoch after ${than}`, async () => ((await readEpoch(bed)) > than ? true : null), withinMs);
}

/** Until it has ended; a process that a fault has stopped is let go on first. */
export async function waitForEnd(controller: Controller, withinMs = 90_000): Promise<string> {
  return await waitFor(`${controller.name} ends`, async () => controller.end, withinMs);
}
