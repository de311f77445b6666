import { faultsUntilMs } from "../faults.ts";
import { demand } from "../checks/violation.ts";
import { guard, type Parts } from "../parts.ts";
import { epochStartMs } from "../store/backend.ts";
import { meshName } from "../world/mesh.ts";
import { type Controller, startController } from "./controller.ts";

/** A controller that ends is started again, as its supervisor does. */
export function launchController(parts: Parts): void {
  const { timeline, store, envelopes, faults, story, counts, controllers } = parts;
  counts.controllers += 1;
  const name = `controller-${counts.controllers}`;
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
    onAsk: (one) =>
      guard(parts, () => {
        demand(one.lease?.mayAct() === true, "I5", () => `${one.process.name} asks for the gate after its deadline`);
      }),
    onHold: (one) => story.say(`${one.process.name} holds the lease, epoch ${one.lease?.epoch ?? 0}`),
    onEnd: (one, why) => {
      story.say(`${one.process.name} ends: ${why}`);
      controllers.delete(one);
      timeline.at(own.between(500, 3000), () => launchController(parts));
    },
  });
  controllers.add(controller);
}

/** Those whose gateway answers, and who poll for work. */
export function listAnswering({ controllers }: Parts): Controller[] {
  return [...controllers].filter((one) => one.lease !== null && !one.process.isPaused && !one.hasEnded);
}
