import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { Socket } from "node:net";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { whenThere } from "../core/errors.ts";
import { type ObjectId, objectIdSchema } from "../core/names.ts";
import { DamagedCloneError } from "./bare-clone.ts";
import { failedStart } from "./failed-start.ts";
import { cleanStderr, GitError, killGroup, spawnGit } from "./git.ts";

/** What git says of an object, before its bytes are read. */
export interface ObjectInfo {
  readonly id: ObjectId;
  readonly type: string;
  readonly bytes: number;
}

/**
 * Questions to one clone, answered by processes of git that stay open for a moment: a look asks a dozen, and a process for
 * each would be most of its time. They end by themselves, with us or when nobody asks any more.
 */
export interface ObjectSession {
  /** Null: git does not have it, or it cannot be read; which of them is for the caller to find out. */
  describe(names: readonly string[]): Promise<(ObjectInfo | null)[]>;
  /**
   * Without asking for their size before. Null as above; one of more than `limitBytes` is let pass, and its content is
   * null: nobody holds it.
   */
  read(names: readonly string[], limitBytes: number): Promise<(ReadObject | null)[]>;
  /** The clone was thrown away: whoever asks next asks the new one, and not a process that still holds the old one open. */
  forget(): void;
}

export interface ReadObject extends ObjectInfo {
  readonly content: Buffer | null;
}

export interface SessionOptions {
  readonly dir: string;
  readonly waitMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Longer than the pause between two looks would keep a process for every repository of the mesh. */
const idleMs = 2_000;
/** Questions of one look come right after each other: whether the clone is still that one is not asked before each. */
const trustedMs = 100;

export function createObjectSession(options: SessionOptions): ObjectSession {
  const clone = watchClone(options.dir);
  const describing = createTalk(options, "--batch-check", clone);
  const reading = createTalk(options, "--batch", clone);
  return {
    describe: (names) => describing.ask(names, 0),
    read: (names, limitBytes) => reading.ask(names, limitBytes),
    forget: () => {
      describing.forget();
      reading.forget();
    },
  };
}

/** Git is asked line by line; and a name that is not UTF-8 has a zero in its text (`tree-object.ts`). */
export function isAskable(name: string): boolean {
  return !/[\n\0]/.test(name);
}

type Mode = "--batch" | "--batch-check";
interface Talk {
  ask(names: readonly string[], limitBytes: number): Promise<(ReadObject | null)[]>;
  forget(): void;
}

function createTalk({ dir, waitMs, signal }: SessionOptions, mode: Mode, clone: Clone): Talk {
  let open: { readonly line: Line; readonly identity: string } | null = null;
  const ask: Talk["ask"] = async (names, limitBytes) => {
    signal?.throwIfAborted();
    if (names.length === 0) return [];
    for (const name of names) if (!isAskable(name)) throw new Error("an object's name is one line");
    // A clone that was made anew is another one, whatever the old process still holds open.
    if (open === null || open.line.hasEnded() || open.identity !== clone.trusted()) {
      const identity = await clone.identify();
      if (open?.identity !== identity || open.line.hasEnded()) {
        open?.line.end();
        open = { line: openLine(dir, mode, signal), identity };
      }
    }
    return open.line.ask(names, { waitMs, limitBytes });
  };
  const forget = (): void => {
    open?.line.end();
    open = null;
  };
  return { ask, forget };
}

/** Which clone lies there: both processes ask it together. */
interface Clone {
  /** As it was a moment ago; null: that is too long ago. */
  trusted(): string | null;
  identify(): Promise<string>;
}

function watchClone(dir: string): Clone {
  let last: { readonly identity: string; readonly at: number } | null = null;
  let asking: Promise<string> | null = null;
  return {
    trusted: () => (last !== null && performance.now() - last.at <= trustedMs ? last.identity : null),
    identify: async () => {
      asking ??= identify(dir).finally(() => (asking = null));
      const identity = await asking;
      last = { identity, at: performance.now() };
      return identity;
    },
  };
}

async function identify(dir: string): Promise<string> {
  const [folder, head] = await Promise.all([whenThere(stat(dir)), whenThere(stat(join(dir, "HEAD")))]);
  return `${folder?.ino ?? "gone"} ${head?.ino ?? "gone"}`;
}

interface Line {
  ask(
    names: readonly string[],
    bounds: { readonly waitMs: number; readonly limitBytes: number },
  ): Promise<(ReadObject | null)[]>;
  hasEnded(): boolean;
  end(): void;
}

interface Waiting {
  readonly resolve: (answer: ReadObject | null) => void;
  readonly reject: (error: unknown) => void;
  readonly limitBytes: number;
}

/** One process: names go in, answers come out in the same order. */
function openLine(dir: string, mode: Mode, signal: AbortSignal | undefined): Line {
  const child = spawnGit({ dir, args: ["cat-file", mode] });
  const failed = failedStart(child);
  if (failed !== null) return createFailedLine(failed);
  const waiting: Waiting[] = [];
  const take = createAnswers(mode, (at) => waiting[at]?.limitBytes ?? 0);
  let stderr = "";
  let ended = false;
  let idle: NodeJS.Timeout | undefined;
  const end = (): void => {
    ended = true;
    clearTimeout(idle);
    child.stdin.end();
  };
  const fail = (error: unknown): void => {
    end();
    killGroup(child);
    for (const one of waiting.splice(0)) one.reject(error);
  };
  const onAbort = (): void => fail(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  // EPIPE: it ended before it read all. Its exit says why.
  child.stdin.on("error", () => undefined);
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr = (stderr + text).slice(-4000)));
  child.stdout.on("data", (chunk: Buffer) => {
    for (const answer of take(chunk)) waiting.shift()?.resolve(answer);
    if (waiting.length > 0) return;
    hold(child, false);
    clearTimeout(idle);
    idle = setTimeout(end, idleMs).unref();
  });
  child.once("error", fail).once("close", (code, killedBy) => {
    signal?.removeEventListener("abort", onAbort);
    fail(
      killedBy === "SIGBUS"
        ? new DamagedCloneError(`clone ${dir} lost bytes while it was read`)
        : new GitError("cat-file", code, cleanStderr(stderr), null),
    );
  });
  return {
    hasEnded: () => ended,
    end,
    ask: async (names, { waitMs, limitBytes }) => {
      clearTimeout(idle);
      hold(child, true);
      const stopped = (): void => fail(new GitError("cat-file", null, "", `was stopped after ${waitMs} ms`));
      const timer = setTimeout(stopped, waitMs);
      const answers = names.map(
        () => new Promise<ReadObject | null>((resolve, reject) => waiting.push({ resolve, reject, limitBytes })),
      );
      child.stdin.write(names.map((name) => `${name}\n`).join(""));
      try {
        return await Promise.all(answers);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** Whoever asks next opens another one. */
function createFailedLine(failed: Promise<Error>): Line {
  return {
    hasEnded: () => true,
    end: () => undefined,
    ask: async () => {
      throw await failed;
    },
  };
}

/** An open process that nobody asks must not keep ours from ending. */
function hold(child: ChildProcessWithoutNullStreams, isAsked: boolean): void {
  for (const part of [child, child.stdin, child.stdout, child.stderr]) {
    if (part !== child && !(part instanceof Socket)) continue;
    if (isAsked) part.ref();
    else part.unref();
  }
}

/** Takes what git prints apart, however it was cut into chunks. `limitOf`: of the so-manieth answer that is waited for. */
function createAnswers(mode: Mode, limitOf: (at: number) => number): (chunk: Buffer) => readonly (ReadObject | null)[] {
  let pieces: Buffer[] = [];
  let held = 0;
  let header: ObjectInfo | null = null;
  /** Of an object that is too large: bytes that are yet to pass, with the line's end. */
  let passing = 0;
  const joinHeld = (): Buffer => {
    const whole = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces, held);
    pieces = [whole];
    return whole;
  };
  const cut = (bytes: number): Buffer => {
    const whole = joinHeld();
    pieces = [whole.subarray(bytes)];
    held -= bytes;
    return whole.subarray(0, bytes);
  };
  return (chunk) => {
    pieces.push(chunk);
    held += chunk.length;
    const answers: (ReadObject | null)[] = [];
    for (;;) {
      if (passing > 0) {
        const passed = Math.min(passing, held);
        cut(passed);
        passing -= passed;
        if (passing > 0) return answers;
      }
      if (header === null) {
        const end = joinHeld().indexOf(0x0a);
        if (end === -1) return answers;
        const line = cut(end + 1)
          .toString("latin1")
          .trimEnd();
        const [, id, type, bytes] = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(line) ?? [];
        if (id === undefined || type === undefined) {
          answers.push(null);
          continue;
        }
        header = { id: objectIdSchema.parse(id), type, bytes: Number(bytes) };
        if (mode === "--batch" && header.bytes <= limitOf(answers.length)) continue;
        passing = mode === "--batch" ? header.bytes + 1 : 0;
        answers.push({ ...header, content: null });
      } else {
        // Joined only when all of it is here: a large one comes in many chunks.
        if (held < header.bytes + 1) return answers;
        answers.push({ ...header, content: cut(header.bytes + 1).subarray(0, header.bytes) });
      }
      header = null;
    }
  };
}
