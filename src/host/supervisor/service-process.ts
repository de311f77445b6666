import { randomUUID } from "node:crypto";
import { rotateLog } from "../../disk/rotate-log.ts";
import { describeFailure } from "../describe-failure.ts";
import type { Log } from "../log.ts";
import type { ServiceUser } from "../service-user.ts";
import { chooseEndingReason } from "./ending-reason.ts";
import { endedUnseen, sayExit, sayNoStart } from "./ending-words.ts";
import { endProcess, type Kernel, neverStartedNonce, sweep, type Started } from "./end-process.ts";
import { isAlive, readIdentity } from "./process-identity.ts";
import { recentEndings, restartDelayMs } from "./restart-delay.ts";
import { removeRun, writeRunWithSpace, type KeptRun } from "./run-file.ts";
import { nameLog, readLogEnd, readLogSize, serviceLogBytes } from "./service-log.ts";
import type { ServiceRun, ServiceSpec } from "./service-run.ts";
import { startProcess } from "./start-process.ts";

export interface ServiceProcessOptions {
  /** Where what is known about services is kept. */
  readonly folder: string;
  readonly user: ServiceUser;
  readonly log: Log;
  readonly nowMs: () => number;
  /** Takes known secrets out of a line of a log before it goes into a report. */
  readonly redact: (text: string) => string;
  /** The service has ended, or was started again: look. */
  readonly onChange: (id: string) => void;
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** Left out: the system's own. */
  readonly kernel?: Kernel;
}

/** Well below what it takes for pids to come round: the group of who was there so lately is still its own. */
const seenJustNowMs = 5_000;

/** One service: its process, started, watched, started again, ended. One act at a time. */
export class ServiceProcess {
  readonly #options: ServiceProcessOptions;
  #run: KeptRun;
  /** Null until the first pass of this host has said it: an adopted one cannot be started again before. */
  #spec: ServiceSpec | null = null;
  /** Endings that no pass has asked for yet. */
  #untold = 0;
  #timer: NodeJS.Timeout | null = null;
  /** It has ended and is started again: when its delay is over, and whatever is under way then has ended. */
  #startsAgain = false;
  /** There was no space for what is known now: written as soon as there is. */
  #isUnwritten = false;
  /** Its exit event is still to come; an adopted one gives none and is looked at instead. */
  #isChild = false;
  /** Of its last ending, what may be there still: nothing is started beside it. */
  #left: Started | null = null;
  /** By the monotonic clock: when the process was last known to be there. Null: not since this host started. */
  #seenAtMs: number | null = null;
  #isClosed = false;
  #acts: Promise<void> = Promise.resolve();

  constructor(run: KeptRun, options: ServiceProcessOptions) {
    this.#run = run;
    this.#options = options;
  }

  get run(): KeptRun {
    return this.#run;
  }

  async readRun(spec: ServiceSpec): Promise<ServiceRun> {
    if (this.#run.spec === spec.digest) this.#spec ??= spec;
    this.#countFromNow();
    const { endings, artifact, nonce, startedMs, firstStartedMs, lastEnding, lastRanMs } = this.#run;
    return {
      spec: this.#run.spec,
      artifact,
      start: nonce,
      alive: await this.#isAlive(),
      startsAgain: this.#startsAgain,
      startedMs,
      firstStartedMs,
      endings: recentEndings(endings, this.#options.nowMs()).length,
      lastEnding,
      lastRanMs,
    };
  }

  takeEnding(): string | null {
    const count = this.#untold;
    this.#untold = 0;
    const { lastEnding, endings } = this.#run;
    if (count === 0 || lastEnding === null) return null;
    const at = new Date(endings.at(-1) ?? this.#options.nowMs()).toISOString();
    return count === 1 ? `${lastEnding}, at ${at}` : `${lastEnding}, at ${at}, the last of ${count} endings`;
  }

  ensure(spec: ServiceSpec): Promise<void> {
    return this.#inTurn(async () => {
      const { alive } = await this.readRun(spec);
      // Its end is counted, or will be in a moment, and then it is started again after its delay: not sooner.
      const isWatched = this.#startsAgain || this.#isChild;
      if (this.#run.spec === spec.digest && (alive || isWatched)) return;
      await this.#end();
      const firstStartedMs = this.#options.nowMs();
      this.#run = { ...this.#run, firstStartedMs, endings: [], lastEnding: null, lastRanMs: null };
      await this.#start(spec);
    });
  }

  stop(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#end();
      this.#spec = null;
      this.#isUnwritten = false;
      await removeRun(this.#options.folder, this.#run.id);
      this.#options.log.info("service stopped", { resource: this.#run.id });
    });
  }

  /** Notices the end of an adopted process. */
  watch(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#isUnwritten) await this.#keepRun();
      const { identity, nonce } = this.#run;
      if (this.#isChild || identity === null || (await this.#isAlive())) return;
      await this.#noteExit(nonce, endedUnseen);
    });
  }

  async rotate(): Promise<void> {
    if (this.#spec === null) return;
    const { logFile } = this.#spec;
    if ((await rotateLog(logFile, serviceLogBytes)) !== "cut") return;
    const { log } = this.#options;
    log.warn("no space: what was in a service's log is gone", { resource: this.#run.id, file: nameLog(logFile) });
  }

  /** Nothing is started again from here on: another host may have taken over what runs. */
  close(): void {
    this.#isClosed = true;
    this.#forgetStart();
  }

  #forgetStart(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#startsAgain = false;
  }

  /** Where the clock was set back it would else be watched, and called not healthy yet, until that time comes again. */
  #countFromNow(): void {
    const now = this.#options.nowMs();
    const { startedMs, firstStartedMs } = this.#run;
    if (startedMs <= now) return;
    this.#run = { ...this.#run, startedMs: now, firstStartedMs: Math.min(firstStartedMs, now) };
  }

  async #start(spec: ServiceSpec): Promise<void> {
    const { folder, user, log, nowMs } = this.#options;
    const nonce = randomUUID();
    const startedMs = nowMs();
    const logBytes = await readLogSize(spec.logFile);
    this.#spec = spec;
    const { id, module, artifact, digest } = spec;
    this.#run = { ...this.#run, id, module, artifact, spec: digest, nonce, identity: null, startedMs, logBytes };
    // Before the start: a kill in between leaves a process that is found by its nonce. With a full disk it is started all
    // the same (R44), and found by its folder.
    await this.#keepRun();
    try {
      const child = await startProcess(spec, { nonce, folder, user });
      this.#isChild = true;
      child.once("exit", (code, signal) => {
        // Its number was kept for it until this moment.
        this.#seenAtMs = performance.now();
        void this.#inTurn(() => this.#noteExit(nonce, sayExit(code, signal)));
      });
      this.#run = { ...this.#run, identity: child.pid === undefined ? null : await readIdentity(child.pid) };
      log.info("service started", { resource: id, module });
    } catch (error) {
      await this.#noteEnding(sayNoStart(error));
    }
    await this.#keepRun();
  }

  async #end(): Promise<void> {
    this.#forgetStart();
    await this.#sweepLeft();
    await endProcess(this.#readStarted(), this.#options.graceMs, this.#options.kernel);
    this.#run = { ...this.#run, identity: null, nonce: neverStartedNonce };
    this.#isChild = false;
  }

  /** `nonce`: of the start that has ended. Another one, or an end that was asked for, may have followed. */
  async #noteExit(nonce: string, how: string): Promise<void> {
    if (this.#isClosed || this.#run.nonce !== nonce) return;
    await this.#noteEnding(this.#spec === null ? how : `${how}${await this.#readReason(this.#spec.logFile)}`);
    await this.#keepRun();
  }

  async #keepRun(): Promise<void> {
    const { folder, log } = this.#options;
    const problem = await writeRunWithSpace(folder, this.#run);
    if (problem !== null && !this.#isUnwritten) {
      const why = `${describeFailure(problem)}; it is written when there is space`;
      log.warn("what is known of a service cannot be written down", { resource: this.#run.id, why });
    }
    this.#isUnwritten = problem !== null;
  }

  async #readReason(logFile: string): Promise<string> {
    const name = nameLog(logFile);
    try {
      // Before it is cut into lines: a secret may have several.
      const text = this.#options.redact(await readLogEnd(logFile, this.#run.logBytes));
      return `: ${chooseEndingReason(text) || "no line says why"} (${name})`;
    } catch (error) {
      // absence is the answer: an ending counts without its reason, and that it cannot be read is said in its place.
      return `: its log cannot be read: ${describeFailure(error)} (${name})`;
    }
  }

  async #noteEnding(how: string): Promise<void> {
    const { log, onChange } = this.#options;
    const { id, startedMs } = this.#run;
    const started = this.#readStarted();
    const now = this.#options.nowMs();
    const endings = [...recentEndings(this.#run.endings, now), now];
    const lastRanMs = Math.max(0, now - startedMs);
    this.#run = { ...this.#run, identity: null, endings, lastEnding: how, lastRanMs };
    this.#untold += 1;
    this.#isChild = false;
    log.warn("service ended", { resource: id, how, endings: endings.length });
    // An adopted one that ended before the first pass is not known how to start: that pass does it.
    if (this.#spec !== null) this.#scheduleStart(endings.length);
    this.#left = started;
    try {
      await this.#sweepLeft();
    } catch (error) {
      const why = describeFailure(error);
      log.error("a service has left something behind", { resource: id, why });
      this.#run = { ...this.#run, lastEnding: `${how} (left behind: ${why})` };
    }
    onChange(id);
  }

  async #sweepLeft(): Promise<void> {
    if (this.#left === null) return;
    const left = this.#left;
    // The next time its leader was not seen just now: its number may be somebody else's then.
    this.#left = { ...left, leader: "not-seen" };
    await sweep(left, this.#options.kernel);
    this.#left = null;
  }

  async #isAlive(): Promise<boolean> {
    const { identity } = this.#run;
    if (identity === null || !(await isAlive(identity))) return false;
    this.#seenAtMs = performance.now();
    return true;
  }

  #readStarted(): Started {
    const { identity, nonce } = this.#run;
    const isSeen = this.#seenAtMs !== null && performance.now() - this.#seenAtMs < seenJustNowMs;
    return { identity, nonce, leader: isSeen ? "seen-just-now" : "not-seen" };
  }

  #scheduleStart(endings: number): void {
    this.#forgetStart();
    this.#startsAgain = true;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.#inTurn(() => this.#startAgain());
    }, restartDelayMs(endings));
  }

  async #startAgain(): Promise<void> {
    const spec = this.#spec;
    if (spec === null || !this.#startsAgain) return;
    try {
      await this.#sweepLeft();
    } catch (error) {
      // Unless it was closed meanwhile.
      if (this.#startsAgain) this.#scheduleStart(this.#run.endings.length);
      throw error;
    }
    if (!this.#startsAgain) return;
    this.#startsAgain = false;
    await this.#start(spec);
    this.#options.onChange(this.#run.id);
  }

  /** Acts wait for each other. A failed one is its caller's; the next goes on. */
  #inTurn(act: () => Promise<void>): Promise<void> {
    const turn = this.#acts.then(act);
    this.#acts = turn.catch((error: unknown) => {
      const { log, onChange } = this.#options;
      log.error("service", { resource: this.#run.id, why: describeFailure(error) });
      onChange(this.#run.id);
    });
    return turn;
  }
}
