import type { Order } from "../../../src/core/declaration.ts";
import type { Report, ReportPlace } from "../../../src/core/report.ts";
import { UnavailableError } from "../../../src/core/errors.ts";
import type { ReportAnswer } from "../../../src/link/host-client.ts";
import type { Controller } from "../controllers/controller.ts";
import type { Faults } from "../faults.ts";
import type { Random } from "../random.ts";
import type { Process, Timeline } from "../timeline.ts";
import type { HostLink } from "./host.ts";

/** Who waits for a node's next declaration. */
export interface Waiters {
  wake(node: string): void;
  wait(node: string, waitMs: number, process: Process): Promise<void>;
}

export function createWaiters(timeline: Timeline): Waiters {
  const waiting = new Map<string, Set<() => void>>();
  return {
    wake(node) {
      for (const wake of waiting.get(node) ?? []) wake();
    },
    wait: (node, waitMs, process) =>
      new Promise((resolve) => {
        const set = waiting.get(node) ?? new Set();
        waiting.set(node, set);
        const end = (): void => {
          set.delete(end);
          cancel();
          resolve();
        };
        const cancel = timeline.at(waitMs, end, process);
        set.add(end);
      }),
  };
}

export interface LinkParts {
  readonly node: string;
  readonly timeline: Timeline;
  readonly random: Random;
  readonly faults: Faults;
  readonly waiters: Waiters;
  /** Those whose gateway answers now. */
  readonly answering: () => readonly Controller[];
  readonly isCut: () => boolean;
  /** The records know this host, and not one before or after it. */
  readonly isEnrolled: () => boolean;
  /** What is kept of this node, as the answer to an older report says it. */
  readonly keptPlace: () => ReportPlace | null;
  /** A truly signed declaration from before: a relay that is behind, or somebody who replays. */
  readonly pickOld: (random: Random) => Uint8Array | null;
}

/** Lost, late, twice, out of order; and what was signed long ago. */
export function createLink(parts: LinkParts): (process: Process) => HostLink {
  const { timeline, random } = parts;
  /** A connection whose other end is gone breaks sooner or later. */
  const within = <T>(work: Promise<T>, ms: number, process: Process): Promise<T> =>
    new Promise((resolve, reject) => {
      const cancel = timeline.at(ms, () => reject(new UnavailableError("no answer in time")), process);
      work.then(resolve, reject).finally(cancel);
    });
  return (process) => ({
    fetchDeclaration: (after, waitMs) => within(fetchOnce(parts, process, after, waitMs), waitMs + 10_000, process),
    sendReport: (report) => within(sendOnce(parts, process, report, random), 15_000, process),
  });
}

async function travel({ timeline, random }: LinkParts, process?: Process): Promise<void> {
  await timeline.pass(random.between(1, 30), process);
}

async function mayBeLost({ faults, random, timeline, isCut }: LinkParts, process: Process): Promise<void> {
  if (!faults.isOn("link") || !(random.chance(0.05) || isCut())) return;
  await timeline.pass(random.between(1_000, 10_000), process);
  throw new UnavailableError("no way to the controller");
}

async function fetchOnce(
  parts: LinkParts,
  process: Process,
  after: Order | null,
  waitMs: number,
): Promise<Buffer | null> {
  const { node, timeline, random, faults } = parts;
  await mayBeLost(parts, process);
  await travel(parts);
  const [controller] = parts.answering();
  if (controller === undefined) {
    await travel(parts, process);
    throw new UnavailableError("no controller answers");
  }
  const old = faults.isOn("link") && random.chance(0.05) ? parts.pickOld(random) : null;
  // Who is enrolled no longer has no key here, and is not asked what it has.
  const isHeard = after !== null && parts.isEnrolled();
  const mayBeTold = !isHeard || (await controller.connection.heedClaim(node, after));
  const found = old ?? (mayBeTold ? await controller.connection.newestEnvelope(node, after) : null);
  if (found !== null) {
    const isLate = faults.isOn("link") && random.chance(0.05);
    await timeline.pass(isLate ? random.between(1_000, 60_000) : 5, process);
    return Buffer.from(found);
  }
  await parts.waiters.wait(node, waitMs, controller.process);
  const later = mayBeTold ? await controller.connection.newestEnvelope(node, after) : null;
  const mayStill = later === null || after === null || !isHeard || (await controller.connection.heedClaim(node, after));
  await travel(parts, process);
  return later === null || !mayStill ? null : Buffer.from(later);
}

async function sendOnce(parts: LinkParts, process: Process, report: Report, random: Random): Promise<ReportAnswer> {
  const { faults, timeline } = parts;
  await mayBeLost(parts, process);
  const deliver = async (): Promise<ReportAnswer> => {
    const isLate = faults.isOn("link") && random.chance(0.1);
    await timeline.pass(isLate ? random.between(100, 60_000) : random.between(1, 30));
    const [controller] = parts.answering();
    if (controller === undefined) throw new UnavailableError("no controller answers");
    const kept = await controller.connection.keepReport(report);
    if (kept === "kept" || kept === "duplicate") return { kept: true };
    return { kept: false, why: kept, behind: kept === "older" ? parts.keptPlace() : null };
  };
  // The same report twice, the second one whenever it comes; nobody hears the answer.
  if (faults.isOn("link") && random.chance(0.05)) deliver().catch(() => undefined);
  const answered = await deliver();
  await travel(parts, process);
  return answered;
}
