import { DeadEpochError } from "../../../src/core/errors.ts";
import type { PushRecords } from "../../../src/activities/push-records.ts";
import type { TellDependencies } from "../../../src/activities/tell.ts";
import { acquireLease, type Lease, type LeaseStore, lookEveryMs } from "../../../src/worker/lease-keeper.ts";
import type { Envelopes } from "../hosts/envelopes.ts";
import type { StoreFaults } from "../store/road.ts";
import type { Connection, StoreTwin } from "../store/twin.ts";
import { type ClockFaults, createModelClock } from "./model-clock.ts";
import { createProcess, type Process, type Timeline } from "../timeline.ts";

/** One controller process from its start to its end: it waits for the lease, acts under its epoch, and ends for good. */
export interface Controller {
  readonly process: Process;
  readonly connection: Connection;
  /** Null while it waits. */
  lease: Lease | null;
  /** Ended: killed, or it ended itself. */
  hasEnded: boolean;
  /** It believes what is no longer so, and cannot know: its clock stands still, or it is a copy of another. */
  isFooled: boolean;
  /** Ends it as kill -9 does. */
  kill(): void;
  /** Its clocks and timers stand still while it answers and acts, until `startClock`. */
  stopClock(): void;
  startClock(): void;
  tellDependencies(): TellDependencies;
}

export interface StartController {
  readonly name: string;
  readonly mesh: string;
  readonly timeline: Timeline;
  readonly store: StoreTwin;
  readonly envelopes: Envelopes;
  readonly faults: StoreFaults;
  readonly clock: ClockFaults;
  readonly startMs: number;
  /** A snapshot of another, resumed: it has that one's name for the records, and its epoch. */
  readonly copyOf?: { readonly name: string; readonly epoch: number; readonly beat: number };
  readonly onEnd: (controller: Controller, why: string) => void;
  readonly onHold: (controller: Controller) => void;
  /** It is about to ask for the gate. */
  readonly onAsk: (controller: Controller) => void;
}

export const staleAfterMs = 86_400_000;

export function startController(options: StartController): Controller {
  const { name, timeline, store } = options;
  const process = createProcess(name);
  const connection = store.connect(process, options.faults);
  const stop = new AbortController();
  const end = (why: string): void => {
    if (controller.hasEnded) return;
    controller.hasEnded = true;
    process.isKilled = true;
    store.disconnect(process);
    options.onEnd(controller, why);
  };
  const controller: Controller = {
    process,
    connection,
    lease: null,
    hasEnded: false,
    isFooled: options.copyOf !== undefined,
    kill: () => end("killed"),
    stopClock() {
      controller.isFooled = true;
      clock.stop();
    },
    startClock: () => clock.start(),
    tellDependencies() {
      const { lease } = controller;
      if (lease === null) throw new DeadEpochError(options.mesh, 0);
      return {
        records: watchGate(connection.push, () => options.onAsk(controller)),
        mesh: options.mesh,
        epoch: lease.epoch,
        mayAct: () => lease.mayAct(),
        signDeclaration: (declaration) => options.envelopes.sign(declaration),
        sealSecret: (secret) => Promise.resolve(`box of ${secret.provision}#${secret.version} for ${secret.node}`),
        staleAfterMs,
        nowMs: () => options.startMs + timeline.nowMs,
        makePassword: () => "a password",
      };
    },
  };
  const clock = createModelClock(options, process);
  const { copyOf } = options;
  const pace = { monotonicMs: () => clock.monotonicMs(), betweenMs: lookEveryMs / options.clock.rate };
  const leases = connection.lease(copyOf?.name ?? name, pace);
  acquireLease(copyOf === undefined ? leases : believeHeld(leases, copyOf), clock, {
    signal: stop.signal,
    onWaiting: () => undefined,
    onLost: (why) => end(why),
    onUnanswered: () => undefined,
  })
    .then((lease) => {
      if (process.isKilled) return;
      controller.lease = lease;
      options.onHold(controller);
    })
    // Anything but records that do not answer ends a newcomer too: the supervisor starts the next one.
    .catch((error: unknown) => end(String(error)));
  return controller;
}

function watchGate(records: PushRecords, onAsk: () => void): PushRecords {
  return {
    ...records,
    passGate(request, work) {
      onAsk();
      return records.passGate(request, work);
    },
  };
}

/** What a copy remembers: that it has taken the lease. What it asks the records from then on, it asks them. */
function believeHeld(leases: LeaseStore, held: { readonly epoch: number; readonly beat: number }): LeaseStore {
  return { ...leases, read: () => Promise.resolve(null), take: () => Promise.resolve(held) };
}
