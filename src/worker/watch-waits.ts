import type { Logger } from "pino";
import type { Name } from "../core/names.ts";
import type { Observation } from "../store/conditions.ts";
import type { Database } from "../store/database.ts";
import {
  findStillWave,
  listUnmadeProvisions,
  listWaitingModules,
  type StillWave,
  type UnmadeProvision,
  type WaitingModule,
} from "../store/waits.ts";
import { keepLooking, type Watch } from "./keep-looking.ts";
import { keepSeen } from "./keep-seen.ts";
import { watchTrouble } from "./note-trouble.ts";

export interface WatchWaits {
  readonly db: Database;
  readonly mesh: Name;
  readonly log: Logger;
  readonly everyMs?: number;
  readonly bounds?: WaitBounds;
}

/** After so long somebody is told, in milliseconds. */
export interface WaitBounds {
  readonly consumerMs: number;
  /** Of a module, and of a wave: longer than a build takes, where its settings do not allow for more. */
  readonly buildMs: number;
}

const everyMs = 60_000;
const defaultBounds: WaitBounds = { consumerMs: 300_000, buildMs: 3_600_000 };
/** Of each kind, the oldest. */
const most = 100;
const codes = ["consumer-waits", "build-waits", "wave-stands"] as const;

/** Says who has waited past a bound, from the records alone, for as long as it waits (R33). */
export function watchWaits(options: WatchWaits): Watch {
  const { db, mesh, bounds = defaultBounds } = options;
  return keepLooking({
    ...options,
    trouble: watchTrouble(options, {
      code: "wait-watch-failing",
      subject: "waits",
      what: "it could not be looked who waits",
      remedy: "see the controller's log; it tries again with growing pauses",
    }),
    failed: "it could not be looked who waits",
    rhythm: { baseMs: options.everyMs ?? everyMs, longestMs: 600_000 },
    async look() {
      const consumers = await listUnmadeProvisions(db, mesh, { afterMs: bounds.consumerMs, most });
      const modules = await listWaitingModules(db, mesh, { afterMs: bounds.buildMs, most });
      const wave = await findStillWave(db, mesh, bounds.buildMs);
      const waves = wave === null ? [] : [sayWave(wave)];
      await keepSeen(options, codes, [...consumers.map(sayConsumer), ...modules.map(sayModule), ...waves]);
      return "enough";
    },
  });
}

function sayConsumer({ requirement, since, wasMade, ...one }: UnmadeProvision): Observation {
  const who = `${one.consumerModule} on ${one.consumerNode}`;
  const host = `the host of ${one.providerNode}`;
  return {
    code: "consumer-waits",
    subject: `${one.consumerNode}/${one.consumerModule} ${requirement}`,
    message: wasMade
      ? `${who} is without its ${requirement} since ${since}: ${host} does not find any more what ${one.providerModule} had made for it`
      : `${who} waits for its ${requirement} since ${since}: ${host} has not said that ${one.providerModule} made it`,
    remedy: `see how the provider's node stands: mesh why ${one.providerNode}`,
    urgent: false,
  };
}

function sayModule({ module, why, since }: WaitingModule): Observation {
  return {
    code: "build-waits",
    subject: module,
    message: `${module} has waited for a verdict since ${since}: ${why}`,
    remedy: `mesh why ${module} says what it waits for, and why that has none`,
    urgent: false,
  };
}

function sayWave({ id, reason, since }: StillWave): Observation {
  return {
    code: "wave-stands",
    subject: "waves",
    message: `wave ${id} (${reason}) has not ended, and none of its builds began, went on or ended since ${since}`,
    remedy: "see the mesh's loop in the Temporal UI; `mesh build` has it look again",
    urgent: false,
  };
}
