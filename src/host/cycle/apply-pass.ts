import type { ResourceReport } from "../../core/report.ts";
import type { Resource } from "../../core/resource.ts";
import { describeFailure } from "../describe-failure.ts";
import type { Digest } from "../../core/names.ts";
import type { Log } from "../log.ts";
import type { Applied } from "../state/applied.ts";
import type { HostDisk } from "../state/host-disk.ts";
import { makingRoom } from "../resources/make-room.ts";
import { gateOf } from "./gate.ts";
import type { Patience } from "./patience.ts";
import type { PassEffects } from "./pass-effects.ts";
import { placeOf, withPlaceBefore, type NotRemoved } from "./place-of.ts";
import { removeResources } from "./remove-resources.ts";
import { textOfResource } from "./resource-text.ts";
import { beginTracking, endTracking, isSameTracking } from "./track-resources.ts";

export interface PassInput {
  /** Digest of the content that is applied. */
  readonly content: Digest;
  readonly effects: PassEffects;
  readonly disk: Pick<HostDisk, "writeApplied">;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** In the order in which they are applied. */
  readonly ordered: readonly Resource[];
  readonly applied: Applied | null;
  /** Not looked at in this pass: what they were read as last. */
  readonly settled: ReadonlyMap<string, ResourceReport>;
  /** Ids that an earlier pass of this host has seen as wanted. */
  readonly seen: ReadonlySet<string>;
  readonly patience: Patience;
  readonly redact: (text: string) => string;
  /** After each resource. */
  readonly onReport: (report: ResourceReport) => void;
  /** What is tracked has changed on disk. */
  readonly onApplied: (applied: Applied) => void;
}

export interface PassResult {
  readonly reports: readonly ResourceReport[];
}

/**
 * One pass over everything the node should be: remove, then apply in edge order. Doing it again is harmless, and ends
 * what a kill has left half (R44). Throws when it was aborted, or when the host's own state cannot be written: then
 * nothing was touched.
 */
export async function applyPass(input: PassInput): Promise<PassResult> {
  const { ordered, redact } = input;
  const begun = beginTracking(input.applied, input.content, ordered);
  const room = { log: input.log, collect: () => input.effects.collect(new Set()) };
  await makingRoom(room, () => keepApplied(input, input.applied, begun));
  const wanted = new Set(ordered.map(({ id }) => id));
  const places = new Set(ordered.map(placeOf));
  const gone = begun.resources.map(({ resource }) => resource).filter((each) => !places.has(placeOf(each)));
  const removed = await removeResources({
    gone,
    wanted,
    remove: (resource) => input.effects.remove(resource),
    redact,
    log: input.log,
  });
  // What an abort has cut was not removed, and is nothing to report: the next pass removes it.
  input.signal.throwIfAborted();
  const reports = await applyAll(input, begun);
  const waits = [...reports.values()].some(({ state }) => state === "waiting");
  const ended = endTracking(begun, reports, removed.places, !waits);
  // What was started since may have filled the disk, and what would make room comes after this.
  await makingRoom(room, () => keepApplied(input, begun, ended));
  await collect(input, reports);
  const left = removed.left.filter(({ report }) => !wanted.has(report.id)).map(({ report }) => report);
  return { reports: [...left, ...ended.withdrawn.map(sayWithdrawn), ...sayPlaces(input, reports, removed.left)] };
}

/** Kinds of resources that are made of an artifact. */
const holdsBack: ReadonlySet<Resource["kind"]> = new Set(["artifact", "service"]);

/** Of what is still at a place before too, both in one report. */
function sayPlaces(
  { ordered }: PassInput,
  reports: ReadonlyMap<string, ResourceReport>,
  left: readonly NotRemoved[],
): readonly ResourceReport[] {
  const said = new Map(reports);
  const wanted = new Map(ordered.map((resource) => [resource.id, resource]));
  for (const before of left) {
    const { id } = before.resource;
    const [resource, report] = [wanted.get(id), said.get(id)];
    if (resource !== undefined && report !== undefined) said.set(id, withPlaceBefore(report, resource, before));
  }
  return [...said.values()];
}

/** In every report, not once: that one may not arrive, and a debt may be younger than the removal (R20). */
function sayWithdrawn(id: string): ResourceReport {
  return { id, state: "applied", message: "nothing is granted any more", provisions: [] };
}

async function keepApplied(input: PassInput, before: Applied | null, after: Applied): Promise<void> {
  if (isSameTracking(before, after)) return;
  await input.disk.writeApplied(after);
  input.onApplied(after);
}

async function applyAll(input: PassInput, begun: Applied): Promise<ReadonlyMap<string, ResourceReport>> {
  const { signal, patience, redact } = input;
  const wasApplied = new Set(begun.resources.filter(({ applied }) => applied).map(({ resource }) => resource.id));
  const reports = new Map<string, ResourceReport>(input.settled);
  for (const resource of input.ordered) {
    if (input.settled.has(resource.id)) continue;
    signal.throwIfAborted();
    const what = textOfResource(resource);
    const presence = `presence ${resource.id}`;
    const report = await input.effects.apply(resource, {
      // A service that does not run when the host comes up was ended with it, or with the machine: no drift.
      wasApplied: wasApplied.has(resource.id) && (resource.kind !== "service" || input.seen.has(resource.id)),
      gate: gateOf({ resource, reports, waitedMs: patience.waitedMs(presence, what) }),
      unavailableMs: () => patience.waitedMs(resource.id, what),
      redact,
      signal,
    });
    if (report.state === "applied") for (const name of [resource.id, presence]) patience.end(name);
    reports.set(resource.id, report);
    input.onReport(report);
  }
  return reports;
}

/**
 * A module's old artifacts go when its new one is there and runs: until then an older one may be gone back to. Whatever
 * else is not as wanted holds nothing back, for it may stay so for weeks.
 */
async function collect(input: PassInput, reports: ReadonlyMap<string, ResourceReport>): Promise<void> {
  const { log, ordered } = input;
  const late = ordered.filter(({ kind, id }) => holdsBack.has(kind) && reports.get(id)?.state !== "applied");
  try {
    const collected = await input.effects.collect(new Set(late.map(({ module }) => module)));
    if (collected.length > 0) log.info("old artifacts collected", { which: collected.join(", ") });
  } catch (error) {
    log.warn("old artifacts could not be collected", { why: describeFailure(error) });
  }
}
