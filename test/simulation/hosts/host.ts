import type { Order } from "../../../src/core/declaration.ts";
import type { Report } from "../../../src/core/report.ts";
import { createApplyLoop } from "../../../src/host/cycle/apply-loop.ts";
import { applyPass } from "../../../src/host/cycle/apply-pass.ts";
import type { Accepted } from "../../../src/host/cycle/check-envelope.ts";
import { createInbox } from "../../../src/host/cycle/inbox.ts";
import { createOutbox } from "../../../src/host/cycle/outbox.ts";
import { createPatience } from "../../../src/host/cycle/patience.ts";
import { pollLoop } from "../../../src/host/cycle/poll-loop.ts";
import { createReporter } from "../../../src/host/cycle/reporter.ts";
import type { ReportAnswer } from "../../../src/link/host-client.ts";
import type { Applied } from "../../../src/host/state/applied.ts";
import type { HostClock } from "../../../src/host/host-clock.ts";
import type { Random } from "../random.ts";
import { createProcess, type Process, type Timeline } from "../timeline.ts";
import type { Envelopes } from "./envelopes.ts";
import { createModelDisk, type DiskContent, type DiskFaults } from "./model-disk.ts";
import { createMachineEffects, type Machine, type MachineFaults, type Touched } from "./model-machine.ts";

/** The way between a host and whichever controller answers. */
export interface HostLink {
  fetchDeclaration(after: Order | null, waitMs: number, signal: AbortSignal): Promise<Buffer | null>;
  sendReport(report: Report): Promise<ReportAnswer>;
}

export interface SimulatedHost {
  readonly node: string;
  incarnation: string;
  process: Process;
  disk: DiskContent;
  readonly machine: Machine;
  /** Its disk is that of an earlier day, so often. */
  timesPutBack: number;
}

export interface WallClock {
  /** So much faster (1.02) or slower (0.98), its timers too. */
  readonly rate: number;
  readonly offsetMs: () => number;
}

export interface StartHost {
  readonly host: SimulatedHost;
  readonly mesh: string;
  readonly timeline: Timeline;
  readonly random: Random;
  readonly envelopes: Envelopes;
  readonly link: (process: Process) => HostLink;
  readonly disk: DiskFaults;
  readonly machine: MachineFaults;
  readonly clock: WallClock;
  /** A pass over what this declaration lists begins. */
  readonly onPass: (accepted: Accepted) => void;
  readonly onApply: (accepted: Accepted, ...touched: Parameters<Touched>) => void;
  readonly onReport: (report: Report) => void;
  readonly startMs: number;
}

const intervalMs = 30_000;
const noLog = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** The host's own loops, on a disk, a machine, a link and a clock of the simulation's. */
export async function startHost(options: StartHost): Promise<void> {
  const { host, timeline, random } = options;
  const process = createProcess(`host ${host.node}`);
  host.process = process;
  const stop = new AbortController();
  const clock = createHostClock(options, process);
  const pass = (ms: number): Promise<void> => timeline.pass(ms, process);
  const disk = createModelDisk(host.disk, options.disk, pass);
  host.disk.boot += 1;
  const boot = { boot: host.disk.boot, bootId: nameStart(host), firstSequence: 1, problem: null };
  const identity = { mesh: options.mesh, node: host.node, incarnation: host.incarnation };
  const open = (envelope: Uint8Array) => options.envelopes.open(envelope, options.mesh);
  const inbox = await createInbox({
    addressee: { ...identity, open, openUnsigned: open },
    renewRoot: async () => undefined,
    disk,
    log: noLog,
    nowMs: clock.nowMs,
  });
  const link = options.link(process);
  const chance = (): number => random.next();
  const reports = new Map<string, Report>();
  const outbox = createOutbox({
    controller: {
      async sendReport(envelope) {
        const report = reports.get(Buffer.from(envelope).toString());
        if (report === undefined) throw new Error("a report that was not signed here");
        return await link.sendReport(report);
      },
    },
    signReport(report) {
      const token = `${report.boot}.${report.sequence}`;
      reports.set(token, report);
      return Buffer.from(token);
    },
    clock,
    log: noLog,
    chance,
    onWord: () => undefined,
    onBehind(kept) {
      reporter.hearBehind(kept);
      loop.look();
    },
  });
  const put = (report: Report): void => {
    options.onReport(report);
    outbox.put(report);
  };
  const reporter = createReporter({
    identity,
    boot,
    inbox,
    nowMs: clock.nowMs,
    lastWordMs: () => null,
    intervalMs,
    put,
  });
  clock.every(5_000, reporter.beat);
  const patience = createPatience(clock.nowMs);
  const redact = (text: string): string => text;
  const loop = createApplyLoop({
    inbox,
    applied: await disk.readApplied(),
    intervalMs,
    log: noLog,
    clock,
    report: reporter.report,
    pass({ accepted, signal, ...rest }) {
      options.onPass(accepted);
      const effects = createMachineEffects(host.machine, options.machine, pass, (...touched) =>
        options.onApply(accepted, ...touched),
      );
      const { declaration, ordered } = accepted;
      const content = declaration.digest;
      const common = { effects, disk, log: noLog, patience, redact };
      const onApplied = (applied: Applied): void => {
        for (const { resource } of applied.resources) host.machine.strays.delete(resource.id);
        rest.onApplied(applied);
      };
      return applyPass({ ...rest, ...common, content, signal, ordered, onApplied });
    },
  });
  const controller = { fetchDeclaration: link.fetchDeclaration.bind(link) };
  const polling = {
    controller,
    inbox,
    log: noLog,
    clock,
    chance,
    onWord: () => undefined,
    onChange: () => loop.look(),
  };
  const fail = (error: unknown): void => {
    throw error;
  };
  pollLoop(polling, stop.signal).catch(fail);
  outbox.run(stop.signal).catch(fail);
  loop.run(stop.signal).catch(fail);
}

/** No two starts have the same, also where they have one number. */
export function nameStart({ node, disk, timesPutBack }: SimulatedHost): string {
  return `${node}-${disk.boot}${timesPutBack === 0 ? "" : `-back-${timesPutBack}`}`;
}

/** Wall clock and timers of its own: nothing in the order may depend on them. */
function createHostClock({ timeline, startMs, clock: { rate, offsetMs } }: StartHost, process: Process): HostClock {
  return {
    nowMs: () => startMs + Math.floor(timeline.nowMs * rate) + offsetMs(),
    wait: (ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) {
          resolve();
          return;
        }
        const end = (): void => {
          signal.removeEventListener("abort", onAbort);
          resolve();
        };
        const cancel = timeline.at(Math.round(ms / rate), end, process);
        const onAbort = (): void => {
          cancel();
          end();
        };
        signal.addEventListener("abort", onAbort, { once: true });
      }),
    after: (ms, act) => timeline.at(Math.round(ms / rate), act, process),
    every(ms, act) {
      let cancel = (): void => undefined;
      const again = (): void => {
        cancel = timeline.at(
          Math.round(ms / rate),
          () => {
            act();
            again();
          },
          process,
        );
      };
      again();
      return () => cancel();
    },
  };
}
