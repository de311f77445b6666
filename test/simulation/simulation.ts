import type { PushRequest } from "../../src/activities/open-push.ts";
import { checkEnd, checkPushEnd, listReverted } from "./checks/check-end.ts";
import { demand, ViolationError } from "./checks/violation.ts";
import { watchLease } from "./checks/watch-lease.ts";
import { openWith, type Watch, watch } from "./checks/watch.ts";
import { launchController, listAnswering } from "./controllers/launch-controller.ts";
import { runPush } from "./controllers/push-runner.ts";
import { createFaults, faultsUntilMs } from "./faults.ts";
import { createEnvelopes } from "./hosts/envelopes.ts";
import { enrolAnew, launchHost } from "./hosts/launch-host.ts";
import { createWaiters } from "./hosts/link.ts";
import { guard, type Parts } from "./parts.ts";
import { schedulePutBack } from "./put-back.ts";
import { createRandom } from "./random.ts";
import { scheduleRestore } from "./restore-records.ts";
import { scheduleFaults } from "./schedule-faults.ts";
import type { Setting } from "./setting.ts";
import { epochStartMs } from "./store/backend.ts";
import { createStoreTwin } from "./store/twin.ts";
import { createStory, type Story } from "./story.ts";
import { createTimeline } from "./timeline.ts";
import { firstRecords, listNodeNames } from "./world/mesh.ts";
import { createPolicy } from "./world/policy.ts";
import { scheduleProviders } from "./world/providers.ts";
import { createWorkload } from "./world/workload.ts";

const finalPushMs = 155_000;
const endMs = 240_000;
/**
 * Where that was too early: a host that waited for an answer of a controller that is gone hears so after 60 s, and may then
 * be at its longest pause, of 60 s more. And a late report of before a host was put back is kept in place of what was said of it,
 * until its next report.
 */
const lastMs = 300_000;
/** Until who was told again has said so: the longest pause of a host, and a wait that nobody answered. */
const toldAgainMs = 130_000;
const tooEarly: ReadonlySet<string> = new Set(["L1", "I17"]);
const limits = { silentAfterMs: 60_000, recordsStaleAfterMs: 60_000, sourcesStaleAfterMs: 60_000 };

/** The product's: longer than any round here. With small ones others push between two of a round, and controllers end there. */
const batchSize = 100;
const batchSizes = [1, 2, batchSize] as const;

/** One mesh: what is in it, and what can be done to it from outside. */
export interface Simulation {
  readonly story: Story;
  readonly counts: { sends: number };
  readonly events: () => number;
  /** Throws ViolationError where a promise is broken. */
  play(): Promise<void>;
}

export function createSimulation(seed: number, setting: Setting): Simulation {
  const random = createRandom(seed);
  const timeline = createTimeline();
  const story = createStory(() => timeline.nowMs, setting.keepLines);
  const nodes = listNodeNames(setting.hosts);
  const parts: Parts = {
    setting,
    nodes,
    random,
    timeline,
    story,
    store: createStoreTwin(timeline, firstRecords(nodes, { isServed: setting.switches.has("service") })),
    envelopes: createEnvelopes(),
    faults: createFaults(
      setting.switches,
      () => timeline.nowMs,
      (delayMs, act) => void timeline.at(delayMs, act),
    ),
    waiters: createWaiters(timeline),
    controllers: new Set(),
    hosts: new Map(),
    openPushes: new Set(),
    counts: { sends: 0, controllers: 0, copies: 0, incarnations: 0, restores: 0 },
    cuts: new Map(),
    full: new Map(),
    broken: new Map(),
    setBackMs: new Map(),
    crossed: new Set(),
    gone: new Set(),
    emptied: { atMs: Number.NEGATIVE_INFINITY },
    held: { atMs: Number.NEGATIVE_INFINITY },
    failure: null,
  };
  return { story, counts: parts.counts, events: () => timeline.events, play: () => play(parts) };
}

async function play(parts: Parts): Promise<void> {
  const { timeline, store, faults, random, nodes, setting } = parts;
  const checks = watch(parts);
  launchController(parts);
  launchController(parts);
  for (const node of nodes) launchHost(parts, checks, node);
  scheduleFaults(parts, checks);
  scheduleProviders(parts);
  schedulePutBack(parts, checks);
  const workload = createWorkload({
    store,
    random: random.fork("workload"),
    nodes,
    onEnrol: (node) => enrolAnew(parts, checks, node),
  });
  const begin = (request: PushRequest, onEnd?: () => void): void => beginPush(parts, checks, request, onEnd);
  scheduleRestore(parts, checks, () => begin(workload.finalPush()));
  const policy = createPolicy({ store, timeline, faults, random: random.fork("policy"), begin });
  const act = (): void => {
    parts.story.say(workload.act());
    const changed = policy.change();
    if (changed !== null) parts.story.say(changed);
    policy.wake();
  };
  const people = random.fork("people");
  const slips = parts.random.fork("slips");
  const removals = parts.random.fork("removals");
  let acts = 0;
  for (let atMs = 500; atMs < faultsUntilMs && acts < setting.acts; atMs += people.between(500, 8_000), acts += 1)
    timeline.at(atMs, () => {
      act();
      if (faults.isOn("removal") && removals.chance(0.08)) parts.story.say(workload.clear(removals));
      if (!people.chance(0.6)) return;
      const confirmRemoval = !(faults.isOn("removal") && removals.chance(0.5));
      begin({ ...workload.nextPush(), confirmRemoval });
      if (faults.isOn("slip") && slips.chance(0.3))
        timeline.at(slips.between(50, 300), () => parts.story.say(workload.takeBack()));
      // And somebody changes something else while it runs.
      if (people.chance(0.3)) timeline.at(people.between(10, 200), act);
    });
  timeline.at(finalPushMs, () => begin(workload.finalPush()));
  watchLease(parts, endMs);
  const goOn = (untilMs: number): Promise<void> =>
    timeline.run(untilMs, () => {
      if (parts.failure !== null) throw parts.failure;
    });
  await goOn(endMs);
  demand(!faults.isOn("store"), "L1", () => "faults go on past their end");
  const look = (toldAgain: ReadonlySet<string> = new Set()): void =>
    checkEnd({ records: store.records, nowIso: store.nowIso(), limits, toldAgain, open: openWith(parts), ...parts });
  if (isTooEarly(look)) await goOn(lastMs);
  look();
  const reverted = listReverted(store.records).filter((node) => !parts.gone.has(node));
  if (reverted.length === 0) return;
  begin(workload.pushAgain(reverted));
  await goOn(timeline.nowMs + toldAgainMs);
  look(new Set(reverted));
}

function isTooEarly(look: () => void): boolean {
  try {
    look();
    return false;
  } catch (error) {
    if (error instanceof ViolationError && tooEarly.has(error.invariant)) return true;
    throw error;
  }
}

function beginPush(parts: Parts, checks: Watch, request: PushRequest, onEnd?: () => void): void {
  const { timeline, story, faults, openPushes } = parts;
  story.say(`${request.push} begins: ${request.kind} ${request.named.join(", ")}`);
  openPushes.add(request.push);
  const own = parts.random.fork(request.push);
  const batches = parts.random.fork("batch");
  const runner = {
    batchSize: parts.setting.switches.has("batch") ? batches.pick(batchSizes) : batchSize,
    timeline,
    random: own,
    workers: () => listAnswering(parts),
    attemptLimitMs: () => (faults.isOn("zombie") && own.chance(0.05) ? own.between(5, 100) : 30_000),
    limits,
    startMs: epochStartMs,
    onZombie: () => story.say("an attempt is given up, and goes on"),
  };
  runPush(runner, request)
    .then((result) => {
      openPushes.delete(request.push);
      if (!parts.crossed.has(request.push)) guard(parts, () => checkPushEnd(parts.store.records, request.push, checks));
      onEnd?.();
      story.say(`${request.push} ends: ${"outcome" in result ? result.outcome : result.message}`);
    })
    .catch((error: unknown) => {
      parts.failure ??= error;
    });
}
