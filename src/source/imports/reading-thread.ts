import type { Worker } from "node:worker_threads";
import type { Language } from "../../core/manifest.ts";
import type { ObjectId } from "../../core/names.ts";
import type { FileImports } from "./import-reader.ts";

/** Files of one clone, which are read with nothing but their bytes. */
export interface ThreadJob {
  /** The bare clone. */
  readonly dir: string;
  readonly language: Language;
  readonly files: readonly { readonly blob: ObjectId; readonly path: string }[];
  /** No file has more. */
  readonly limitBytes: number;
}

export interface ThreadQuestion extends ThreadJob {
  readonly id: number;
}

export interface ThreadAnswer {
  readonly id: number;
  /** In the order of the files. Null: it could not. */
  readonly imports: readonly FileImports[] | null;
}

/**
 * Reads imports beside the thread that answers everybody else: of tens of thousands of files that takes a second of processor
 * time, in which nobody's lease would be renewed either. It gives no verdict: whoever is told null reads the files, and has the reason.
 */
export interface ReadingThread {
  /** It is needed soon: it begins, unless it is there. */
  prepare(): void;
  read(job: ThreadJob): Promise<readonly FileImports[] | null>;
  close(): Promise<void>;
}

/** Comparisons of a wave come one after the other; a thread takes some 20 MB. */
const idleMs = 60_000;

export interface StartReading {
  /** A thread that runs `reading-thread-main`. */
  readonly start: () => Worker;
  /** It broke down, or could not begin. What it was to read is read all the same. */
  readonly onFailed: (error: unknown) => void;
}

export function createReadingThread({ start, onFailed }: StartReading): ReadingThread {
  let open: OpenThread | null = null;
  const prepare = (): void => {
    if (open === null || open.hasEnded()) open = openThread(start(), onFailed);
  };
  return {
    prepare,
    read: async (job) => {
      // One that broke down is not started again by each of hundreds of jobs: the next comparison prepares it.
      if (open === null || open.hasEnded()) return null;
      return open.read(job);
    },
    close: async () => {
      await open?.close();
      open = null;
    },
  };
}

interface OpenThread {
  read(job: ThreadJob): Promise<readonly FileImports[] | null>;
  hasEnded(): boolean;
  close(): Promise<void>;
}

function openThread(worker: Worker, onFailed: StartReading["onFailed"]): OpenThread {
  const waiting = new Map<number, (imports: readonly FileImports[] | null) => void>();
  let last = 0;
  let hasEnded = false;
  let isClosed = false;
  let idle: NodeJS.Timeout | undefined;
  const close = async (): Promise<void> => {
    isClosed = true;
    hasEnded = true;
    clearTimeout(idle);
    await worker.terminate();
  };
  const rest = (): void => {
    worker.unref();
    clearTimeout(idle);
    idle = setTimeout(() => void close(), idleMs).unref();
  };
  const end = (error: unknown): void => {
    if (!hasEnded && !isClosed) onFailed(error);
    hasEnded = true;
    clearTimeout(idle);
    for (const answer of waiting.values()) answer(null);
    waiting.clear();
  };
  worker.on("message", ({ id, imports }: ThreadAnswer) => {
    waiting.get(id)?.(imports);
    waiting.delete(id);
    if (waiting.size === 0) rest();
  });
  // Out of memory, or its code cannot be loaded: what it was to read is read by whoever asked.
  worker.once("error", end).once("exit", (code) => end(new Error(`it ended with ${code}`)));
  rest();
  return {
    hasEnded: () => hasEnded,
    close,
    read: (job) =>
      new Promise((resolve) => {
        last += 1;
        waiting.set(last, resolve);
        clearTimeout(idle);
        worker.ref();
        const question: ThreadQuestion = { ...job, id: last };
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread, not a window.
        worker.postMessage(question);
      }),
  };
}
