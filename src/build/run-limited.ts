import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { errorCode, whenThere } from "../core/errors.ts";
import type { ControlGroup } from "./cgroup.ts";
import { collectOutput, type Output } from "./collect-output.ts";
import { createDeadline } from "./deadline.ts";
import { measureFolder, measureProcesses } from "./measure.ts";
import type { Mount, SandboxLimit, SandboxLimits, SandboxResult } from "./sandbox.ts";

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
  /** bubblewrap's --block-fd 3 and --info-fd 4, and its --file 5 and 6: it waits until the group holds it. */
  readonly startsBlocked: boolean;
  /** Another user and group to start as. */
  readonly runAs?: number | undefined;
  /** How long what was killed may take to end, in milliseconds. */
  readonly endsWithinMs?: number;
}

const passwd = "root:x:0:0:root:/root:/usr/sbin/nologin\nnobody:x:65534:65534:nobody:/tmp:/usr/sbin/nologin\n";
const groupFile = "root:x:0:\nnogroup:x:65534:\n";

const { signals } = constants;
const cannotFork = /Cannot fork|fork: (retry: )?Resource temporarily unavailable|\bEAGAIN\b/;

interface Stop {
  readonly which: SandboxLimit;
  readonly message: string;
}

/**
 * Runs one command under limits; when it returns, the whole group has ended. Throws where what was killed does not end
 * within a bound: it is in the kernel, or has left its group and keeps the output open.
 */
export async function runLimited(run: LimitedRun): Promise<SandboxResult> {
  run.signal?.throwIfAborted();
  const child = start(run);
  const output = collectOutput(child, {
    limitBytes: run.limits.outputBytes,
    onTooMuch: () => stop({ which: "output", message: `it printed more than ${run.limits.outputBytes} bytes` }),
    stdout: run.stdout,
    onOutput: run.onOutput,
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
  const watch = createWatch(run, () => inner ?? child.pid ?? null, stop);
  run.signal?.addEventListener("abort", end, { once: true });
  const timer = setTimeout(
    () => stop({ which: "time", message: `it ran longer than ${run.limits.wallMs} ms` }),
    run.limits.wallMs,
  );
  try {
    if (run.startsBlocked) inner = await release(run, child);
    if (run.signal?.aborted === true) end();
    const { code, failure } = await Promise.race([closed, late.passed]);
    run.signal?.throwIfAborted();
    if (failure !== null)
      return {
        kind: "unavailable",
        why: `${run.words[0] ?? ""} does not start: ${failure.message}`,
        log: output.log(),
      };
    watch.close();
    // What was written since the last look counts too: nothing over the bound is kept, packed or tested.
    stopped ??= await findFull(run);
    return await judge(run, code, stopped, output, run.startsBlocked && inner === null);
  } finally {
    clearTimeout(timer);
    watch.close();
    run.signal?.removeEventListener("abort", end);
    end();
    late.cancel();
    if (inner !== null) await waitUntilEnded(inner);
  }
}

function start(run: LimitedRun): ChildProcess {
  const [program = "", ...words] = run.words;
  const extra = run.startsBlocked ? (["pipe", "pipe", "pipe", "pipe"] as const) : [];
  return spawn(program, words, {
    cwd: run.cwd,
    env: { ...run.env },
    stdio: ["ignore", "pipe", "pipe", ...extra],
    detached: true,
    ...(run.runAs === undefined ? {} : { uid: run.runAs, gid: run.runAs }),
  });
}

/** Puts what waits into its group, then lets it go. Null: it ended before it came that far. */
async function release(run: LimitedRun, child: ChildProcess): Promise<number | null> {
  const pipes: readonly unknown[] = child.stdio;
  const [gate, info, users, groups] = pipes.slice(3);
  if (!isWritable(gate) || !isReadable(info) || !isWritable(users) || !isWritable(groups)) return null;
  for (const stream of [gate, users, groups]) stream.on("error", ignoreClosedPipe);
  users.end(passwd);
  groups.end(groupFile);
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
  gate.end("x");
  return Number(pid);
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

async function judge(
  run: LimitedRun,
  code: number | null,
  stopped: Stop | null,
  output: Output,
  neverStarted: boolean,
): Promise<SandboxResult> {
  const log = output.log();
  // Without a group the kernel tells only the process itself that it may not fork; its words are all there is.
  const words = { memory: false, processes: run.startsBlocked && cannotFork.test(log) };
  const kernel = (await run.group?.stopped()) ?? words;
  if (stopped !== null && kernel.processes) {
    // What cannot fork any more complains without end: that is how it shows, not why.
    const message = `it started more than ${run.limits.processes} processes, and ${stopped.message}`;
    return { kind: "limit", which: "processes", message, log };
  }
  if (stopped !== null) return { kind: "limit", ...stopped, log };
  if (code !== 0 && kernel.memory)
    return {
      kind: "limit",
      which: "memory",
      message: `it needed more than ${run.limits.memoryBytes} bytes of memory`,
      log,
    };
  if (code !== 0 && kernel.processes)
    return {
      kind: "limit",
      which: "processes",
      message: `it started more than ${run.limits.processes} processes`,
      log,
    };
  if (code !== 0 && /No space left on device|ENOSPC: no space left/i.test(log))
    return { kind: "limit", which: "disk", message: "no space was left to write to", log };
  if (code === 128 + signals.SIGXFSZ || (code !== 0 && /\bEFBIG\b|File (too large|size limit exceeded)/i.test(log)))
    return {
      kind: "limit",
      which: "disk",
      message: `one file was to be larger than ${run.limits.diskBytes} bytes`,
      log,
    };
  if (neverStarted) return { kind: "unavailable", why: `the sandbox did not start: ${log.trim().slice(-500)}`, log };
  if (code === null) return { kind: "unavailable", why: "the sandbox was killed from outside", log };
  return { kind: "exited", code, stdout: output.stdout(), log };
}

/** The first folder that holds more than it may. */
async function findFull({ writable, limits: { diskBytes } }: LimitedRun): Promise<Stop | null> {
  for (const { from, to } of writable) {
    try {
      if ((await measureFolder(from, diskBytes)) > diskBytes)
        return { which: "disk", message: `it wrote more than ${diskBytes} bytes to ${to}` };
    } catch (error) {
      if (errorCode(error) === null) throw error;
      return { which: "disk", message: `what it wrote to ${to} could not be measured: ${String(error)}` };
    }
  }
  return null;
}

interface Watch {
  close(): void;
}

/** What the kernel does not limit is looked at again and again; a look that is slow is taken less often. */
function createWatch(run: LimitedRun, pid: () => number | null, stop: (why: Stop) => void): Watch {
  let timer: NodeJS.Timeout;
  let closed = false;
  const look = async (): Promise<void> => {
    run.onProgress?.();
    const full = await findFull(run);
    if (full !== null) return stop(full);
    const first = pid();
    if (run.group !== null || first === null) return undefined;
    const used = await measureProcesses(first);
    if (used.memoryBytes > run.limits.memoryBytes)
      stop({ which: "memory", message: `it needed more than ${run.limits.memoryBytes} bytes of memory` });
    if (used.processes > run.limits.processes)
      stop({ which: "processes", message: `it started more than ${run.limits.processes} processes` });
    return undefined;
  };
  const again = (delayMs: number): void => {
    if (closed) return;
    timer = setTimeout(() => {
      const begun = performance.now();
      look().then(
        () => again(Math.max(250, 5 * (performance.now() - begun))),
        (error: unknown) => stop({ which: "disk", message: `what it writes could not be measured: ${String(error)}` }),
      );
    }, delayMs);
  };
  again(250);
  return {
    close: () => {
      closed = true;
      clearTimeout(timer);
    },
  };
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
