import { faultsUntilMs } from "../faults.ts";
import { demand } from "../checks/violation.ts";
import { guard, type Parts } from "../parts.ts";
import type { Random } from "../random.ts";
import { epochStartMs } from "../store/backend.ts";
import { meshName } from "../world/mesh.ts";
import { type Controller, startController } from "./controller.ts";
import { keepPruning } from "./keep-pruning.ts";

/** A controller that ends is started again, as its supervisor does. */
export function launchController(parts: Parts): void {
  parts.counts.controllers += 1;
  const name = `controller-${parts.counts.controllers}`;
  launch(parts, name, {
    again: (own) => void parts.timeline.at(own.between(500, 3000), () => launchController(parts)),
  });
}

/** A snapshot of a controller that held this epoch, resumed beside it: nobody starts it again. */
export function resumeCopy(parts: Parts, { epoch, holder }: { readonly epoch: number; readonly holder: string }): void {
  parts.counts.copies += 1;
  // Of this very moment where it still has the lease: then it may be the copy that renews first.
  const { lease } = parts.store.records;
  const beat = lease?.epoch === epoch ? lease.beat : 0;
  const copyOf = { name: holder, epoch, beat };
  launch(parts, `${holder}-copy-${parts.counts.copies}`, { copyOf, again: () => undefined });
}

interface Launch {
  readonly copyOf?: { readonly name: string; readonly epoch: number; readonly beat: number };
  readonly again: (own: Random) => void;
}

function launch(parts: Parts, name: string, { copyOf, again }: Launch): void {
  const { timeline, store, envelopes, faults, story, controllers } = parts;
  const own = parts.random.fork(name);
  const rate = faults.isOn("clock") ? 1 + (own.next() - 0.5) * 0.2 : 1;
  const jumpMs = faults.isOn("clock") && own.chance(0.2) ? own.between(-3_600_000, 3_600_000) : 0;
  const jumpAtMs = own.between(0, faultsUntilMs);
  story.say(`${name} starts`);
  const controller = startController({
    name,
    mesh: meshName,
    timeline,
    store,
    envelopes,
    faults: faults.store(own),
    clock: {
      rate,
      wallOffsetMs: () => (timeline.nowMs > jumpAtMs ? jumpMs : 0) - (parts.setBackMs.get(name) ?? 0),
    },
    startMs: epochStartMs,
    ...(copyOf === undefined ? {} : { copyOf }),
    onAsk: (one) =>
      guard(parts, () => {
        demand(one.lease?.mayAct() === true, "I5", () => `${one.process.name} asks for the gate after its deadline`);
      }),
    onHold: (one) => {
      story.say(`${one.process.name} holds the lease, epoch ${one.lease?.epoch ?? 0}`);
      parts.held.atMs = timeline.nowMs;
      keepPruning(parts, one);
    },
    onEnd: (one, why) => {
      story.say(`${one.process.name} ends: ${why}`);
      controllers.delete(one);
      again(own);
    },
  });
  controllers.add(controller);
}

/** Those whose gateway answers, and who poll for work. */
export function listAnswering({ controllers }: Parts): Controller[] {
  return [...controllers].filter((one) => one.lease !== null && !one.process.isPaused && !one.hasEnded);
}
