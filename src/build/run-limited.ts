import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { errorCode, whenThere } from "../core/errors.ts";
import { failedStart } from "../source/failed-start.ts";
import type { ControlGroup } from "./cgroup.ts";
import { collectOutput, type Output } from "./collect-output.ts";
import { createDeadline } from "./deadline.ts";
import { type DiskPlace, type InsideFolder, openDiskPlace, openInsidePlace } from "./disk-place.ts";
import type { Mount, SandboxLimits, SandboxResult } from "./sandbox.ts";
import { createWatch, findAtBound, findOversize, type Seen, type Stop, type Watch } from "./watch-run.ts";

export interface LimitedRun {
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: SandboxLimits;
  /** Folders whose size is watched; `to` is what the build calls it. */
  readonly writable: readonly Pick<Mount, "from" | "to">[];
  readonly signal: AbortSignal | undefined;
  readonly onProgress: (() => void) | undefined;
  /** As in SandboxRun. */
  readonly stdout: "answer" | undefined;
  readonly onOutput: ((text: string) => void) | undefined;
  readonly group: ControlGroup | null;
  /** bubblewrap's --block-fd 3, --info-fd 4, --json-status-fd 5: it waits until the group holds it. */
  readonly startsBlocked: boolean;
  /** What bubblewrap reads for its --file: the first at 6, and so on. */
  readonly given: readonly string[];
  /** What it may write to beside those folders: file systems in memory of its own. */
  readonly inMemory: readonly InsideFolder[];
  /** Another user and group to start as. */
  readonly runAs?: number | undefined;
  /** How long what was killed may take to end, in milliseconds. */
  readonly endsWithinMs?: number;
}

const { signals } = constants;
/** The descriptor of the first of what is given. */
export const firstGiven = 6;

/**
 * Runs one command under limits; when it returns, the whole group has ended. Throws where what was killed does not end
 * within a bound: it is in the kernel, or has left its group and keeps the output open.
 */
export async function runLimited(run: LimitedRun): Promise<SandboxResult> {
  run.signal?.throwIfAborted();
  const child = start(run);
  const failed = failedStart(child);
  if (failed !== null) throw await failed;
  const output = collectOutput(child, {
    limitBytes: run.limits.outputBytes,
    onTooMuch: () => stop({ which: "output", message: `it printed more than ${run.limits.outputBytes} bytes` }),
    stdout: run.stdout,
    onOutput: run.onOutput,
    hints: [/no space left|ENOSPC|EDQUOT|quota exceeded|Cannot fork|Resource temporarily|EAGAIN/i, () => watch.hint()],
  });
  let stopped: Stop | null = null;
  let inner: number | null = null;
  const late = createDeadline(run.endsWithinMs ?? endsWithinMs, () => describeLeft(run, child.pid ?? null, inner));
  const end = (): void => {
    late.begin();
    // The first process of its own namespace takes all the others with it.
    if (inner !== null) killProcess(inner);
    if (child.pid !== undefined) killProcess(-child.pid);
  };
  const stop = (why: Stop): void => {
    stopped ??= why;
    end();
  };
  const closed = new Promise<{ code: number | null; failure: Error | null }>((resolve) => {
    child.once("error", (failure) => resolve({ code: null, failure }));
    child.once("close", (code) => resolve({ code, failure: null }));
  });
  const hasStarted = run.startsBlocked ? readStarted(child) : Promise.resolve(true);
  // absence is the answer: it is awaited below, and by nobody where the run fails before
  hasStarted.catch(() => undefined);
  const watch: Watch = createWatch({
    ...run,
    isUngrouped: run.group === null,
    pid: () => inner ?? child.pid ?? null,
    stop,
  });
  run.signal?.addEventListener("abort", end, { once: true });
  const timer = setTimeout(
    () => stop({ which: "time", message: `it ran longer than ${run.limits.wallMs} ms` }),
    run.limits.wallMs,
  );
  try {
    for (const { from, to } of run.writable) addPlace(watch, await openDiskPlace(from, to));
    if (run.startsBlocked) inner = await release(run, child, watch);
    if (run.signal?.aborted === true) end();
    const { code, failure } = await Promise.race([closed, late.passed]);
    run.signal?.throwIfAborted();
    if (failure !== null)
      return {
        kind: "unavailable",
        why: `${run.words[0] ?? ""} does not start: ${failure.message}`,
        log: output.log(),
      };
    const seen = await watch.end();
    // What was written since the last look counts too: nothing over the bound is kept, packed or tested.
    stopped ??= await findOversize(run);
    return await judge(run, { code, stopped, seen, hasStarted: await hasStarted }, output);
  } finally {
    clearTimeout(timer);
    await watch.close();
    run.signal?.removeEventListener("abort", end);
    end();
    late.cancel();
    if (inner !== null) await waitUntilEnded(inner);
  }
}

function start(run: LimitedRun): ChildProcess {
  const [program = "", ...words] = run.words;
  const extra = run.startsBlocked
    ? Array.from({ length: firstGiven - 3 + run.given.length }, () => "pipe" as const)
    : [];
  return spawn(program, words, {
    cwd: run.cwd,
    env: { ...run.env },
    stdio: ["ignore", "pipe", "pipe", ...extra],
    detached: true,
    ...(run.runAs === undefined ? {} : { uid: run.runAs, gid: run.runAs }),
  });
}

/** Puts what waits into its group, then lets it go. Null: it ended before it came that far. */
async function release(run: LimitedRun, child: ChildProcess, watch: Watch): Promise<number | null> {
  const pipes: readonly unknown[] = child.stdio;
  const [gate, info] = pipes.slice(3);
  const files = pipes.slice(firstGiven).filter(isWritable);
  if (!isWritable(gate) || !isReadable(info) || files.length !== run.given.length) return null;
  for (const stream of [gate, ...files]) stream.on("error", ignoreClosedPipe);
  for (const [at, file] of files.entries()) file.end(run.given[at]);
  let text = "";
  for await (const chunk of info) text += String(chunk);
  const pid = /"child-pid":\s*(\d+)/.exec(text)?.[1];
  if (pid === undefined || child.pid === undefined) return null;
  try {
    await run.group?.add(child.pid);
    await run.group?.add(Number(pid));
  } catch (error) {
    // Gone already: the exit code says why.
    if (errorCode(error) !== "ESRCH") throw error;
  }
  for (const folder of run.inMemory) addPlace(watch, await openInsidePlace(Number(pid), folder));
  gate.end("x");
  return Number(pid);
}

/** bubblewrap tells the exit code of a command that it came to start, and of no other. */
async function readStarted(child: ChildProcess): Promise<boolean> {
  const pipes: readonly unknown[] = child.stdio;
  const status = pipes[5];
  if (!isReadable(status)) return false;
  let text = "";
  for await (const chunk of status) text += String(chunk);
  return /"exit-code":/.test(text);
}

function addPlace(watch: Watch, place: DiskPlace | null): void {
  if (place !== null) watch.addPlace(place);
}

function ignoreClosedPipe(error: Error): void {
  if (errorCode(error) !== "EPIPE" && errorCode(error) !== "ECONNRESET") throw error;
}

function isWritable(stream: unknown): stream is Writable {
  return typeof stream === "object" && stream !== null && "end" in stream;
}

function isReadable(stream: unknown): stream is Readable {
  return typeof stream === "object" && stream !== null && "read" in stream;
}

interface Ended {
  readonly code: number | null;
  readonly stopped: Stop | null;
  readonly seen: Seen;
  /** Did the command itself run? Else what ended, and what it says, is bubblewrap. */
  readonly hasStarted: boolean;
}

/**
 * By what the kernel counted and what was measured, never by what was printed: the words are those of the module too, and
 * a test may print any.
 */
async function judge(
  run: LimitedRun,
  { code, stopped, seen, hasStarted }: Ended,
  output: Output,
): Promise<SandboxResult> {
  const log = output.log();
  const limit = (which: Stop["which"], message: string): SandboxResult => ({ kind: "limit", which, message, log });
  const kernel = (await run.group?.stopped()) ?? { memory: false, processes: run.startsBlocked && seen.processes };
  const { limits } = run;
  const many = `it started more than ${limits.processes} processes`;
  // What cannot fork any more complains without end: that is how it shows, not why.
  if (stopped !== null && kernel.processes) return limit("processes", `${many}, and ${stopped.message}`);
  if (stopped !== null) return limit(stopped.which, stopped.message);
  if (code !== 0 && kernel.memory) return limit("memory", `it needed more than ${limits.memoryBytes} bytes of memory`);
  if (code !== 0 && kernel.processes) return limit("processes", many);
  if (code !== 0 && seen.fullDisk !== null) return limit("disk", `no space was left to write to in ${seen.fullDisk}`);
  // The number alone is anybody's to end with.
  const atBound = code === 128 + signals.SIGXFSZ ? await findAtBound(run) : null;
  if (atBound !== null) return limit("disk", `one file in ${atBound} was to be larger than ${limits.diskBytes} bytes`);
  if (code === null) return { kind: "unavailable", why: "the sandbox was killed from outside", log };
  if (!hasStarted) return { kind: "unavailable", why: `the sandbox did not start: ${log.trim().slice(-500)}`, log };
  return { kind: "exited", code, stdout: output.stdout(), log };
}

/** A machine that is short of everything takes its time to give back two gigabytes. */
const endsWithinMs = 30_000;

async function describeLeft(run: LimitedRun, pid: number | null, inner: number | null): Promise<string> {
  const left: string[] = [];
  for (const one of new Set([pid, inner])) {
    const state = one === null ? null : await readState(one);
    if (state !== null && state !== "Z" && state !== "X") left.push(`process ${one} is in state ${state}`);
  }
  const why = left.length === 0 ? "a process that left its group keeps its output open" : left.join(", ");
  const uninterruptible = left.some((one) => one.endsWith(" D"));
  return `${run.words[0] ?? ""} was killed and does not end: ${why}${uninterruptible ? ", which waits for a device or a file system: look at the kernel's log" : ""}`;
}

/** As in /proc: R, S, D …; null: it is gone. */
async function readState(pid: number): Promise<string | null> {
  const stat = await whenThere(readFile(`/proc/${pid}/stat`, "utf8"), ["ENOENT", "ESRCH"]);
  return stat === null ? null : stat.charAt(stat.lastIndexOf(")") + 2);
}

/**
 * Until the first process of a namespace, killed before, has taken all the others with it: bubblewrap itself ends as soon
 * as it knows the exit code.
 */
async function waitUntilEnded(pid: number): Promise<void> {
  for (let attempt = 0; attempt < endsWithinMs / 5; attempt += 1) {
    const state = await readState(pid);
    // Z: the rest is gone, and only its parent has not looked yet.
    if (state === null || state === "Z" || state === "X") return;
    await wait(5);
  }
  throw new Error(`process ${pid} of a sandbox was killed and does not end`);
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (errorCode(error) !== "ESRCH") throw error;
  }
}
