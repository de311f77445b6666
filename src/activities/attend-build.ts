import { Context } from "@temporalio/activity";
import type { Digest, Name } from "../core/names.ts";
import { appendBuildLog, sweepBuildLog } from "../store/build-log.ts";
import { touchBuild } from "../store/builds.ts";
import type { Database } from "../store/database.ts";

export interface AttendBuild {
  readonly db: Database;
  readonly mesh: Name;
  readonly build: { readonly module: Name; readonly inputs: Digest; readonly attempt: number };
}

export interface BuildAttendance {
  /** Aborted when the workflow is cancelled, and when another attempt has taken the build over. */
  readonly signal: AbortSignal;
  /** What it prints, for who follows. */
  readonly addLog: (text: string) => void;
  /** The last that it printed is written, for who reads it before the verdict. */
  writeRest(): Promise<void>;
  /**
   * Nobody waits for this attempt, and no other one comes: its workflow was cancelled, or ended otherwise. Where this process stood
   * still for as long as Temporal waits for a beat, or nearly, another one may have begun: then it is not known, and false.
   */
  isGivenUp(): boolean;
  /** After the last of it was written. Never rejects: the build has ended, whatever becomes of its followers. */
  close(): Promise<void>;
}

const beatMs = 3_000;
/** Half of what a beat may be late by (see the workflow). */
const stillMs = 10_000;
const writeMs = 1_000;
const touchEvery = 10;
/** Of one part. What is printed faster is followed in its newest part; the kept log has all of it. */
const partLimit = 16 * 1024;
const followedForMs = 600_000;

/** While a build runs: Temporal and the records hear of it, and an attempt that was given up ends by itself. */
export function attendBuild({ db, mesh, build }: AttendBuild): BuildAttendance {
  const context = Context.current();
  const takenOver = new AbortController();
  let text = "";
  let part = 0;
  let writes = 0;
  let writing: Promise<void> = Promise.resolve();
  const write = async (): Promise<void> => {
    if (text !== "") {
      const taken = text;
      const newest = taken.length <= partLimit ? taken : `… \n${taken.slice(-partLimit)}`;
      text = "";
      part += 1;
      try {
        await appendBuildLog(db, mesh, { ...build, part, text: newest });
      } catch (error) {
        text = `${taken}${text}`.slice(-2 * partLimit);
        throw error;
      }
    }
    writes += 1;
    if (writes % touchEvery === 0 && !(await touchBuild(db, mesh, build)))
      takenOver.abort(new Error(`another attempt builds ${build.module} at these inputs`));
  };
  const writeOrSay = async (): Promise<void> => {
    try {
      await write();
    } catch (error) {
      // The records do not answer now: the next write tries again, and without them no verdict is kept either.
      context.log.warn("a build could not say how it goes on", { module: build.module, error: String(error) });
    }
  };
  const sweepOrSay = async (): Promise<void> => {
    try {
      await sweepBuildLog(db, mesh, followedForMs);
    } catch (error) {
      // The next build sweeps what this one left.
      context.log.warn("old parts of followed logs could not be swept", { error: String(error) });
    }
  };
  const writeRest = (): Promise<void> => {
    writing = writing.then(writeOrSay);
    return writing;
  };
  const beats = startBeats(context);
  const timer = setInterval(() => void writeRest(), writeMs);
  return {
    signal: AbortSignal.any([context.cancellationSignal, takenOver.signal]),
    addLog: (more) => {
      text = `${text}${more}`.slice(-2 * partLimit);
    },
    writeRest,
    isGivenUp: beats.isGivenUp,
    close: async () => {
      clearInterval(timer);
      await writeRest();
      await sweepOrSay();
      beats.end();
    },
  };
}

function startBeats(context: Context): Pick<BuildAttendance, "isGivenUp"> & { end(): void } {
  let [beatAt, stoodStill] = [Date.now(), false];
  const noteStandstill = (): void => {
    stoodStill ||= Math.abs(Date.now() - beatAt) > stillMs;
    beatAt = Date.now();
  };
  const beats = setInterval(() => {
    noteStandstill();
    context.heartbeat();
  }, beatMs);
  return {
    isGivenUp: () => {
      if (!context.cancellationSignal.aborted) return false;
      noteStandstill();
      const details = context.cancellationDetails;
      // The workflow ends with being cancelled: its activity mostly hears that it is not known any more.
      return details?.cancelRequested === true || (details?.notFound === true && !stoodStill);
    },
    end: () => clearInterval(beats),
  };
}
