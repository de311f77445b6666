import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { rotateLog } from "../disk/rotate-log.ts";
import { pause } from "./pause.ts";
import type { Progress } from "./progress.ts";

export interface LogBounds {
  /** Of each log, and of its predecessor. */
  readonly keptBytes: number;
  /** What is written in this time comes on top of it. */
  readonly everyMs: number;
}

/** docs/operating.md says these. */
export const logBounds: LogBounds = { keptBytes: 16 * 1024 * 1024, everyMs: 30_000 };

/** Until the signal: every `*.log` of a folder, whoever writes it. One that cannot be cut is said, and tried again. */
export async function keepLogsSmall(
  options: { readonly folder: string; readonly progress: Progress; readonly signal: AbortSignal } & Partial<LogBounds>,
): Promise<void> {
  const { folder, progress, signal, keptBytes, everyMs } = { ...logBounds, ...options };
  const said = new Map<string, string>();
  const say = (what: string, why: string | null): void => {
    if (why !== null && said.get(what) !== why) progress(`${what}: ${why}`);
    if (why === null) said.delete(what);
    else said.set(what, why);
  };
  while (!signal.aborted) {
    const names = await attempt(folder, () => readdir(folder), say);
    for (const name of (names ?? []).filter((one) => one.endsWith(".log"))) {
      const file = join(folder, name);
      const outcome = await attempt(file, () => rotateLog(file, keptBytes), say);
      if (outcome === "cut") progress(`${file}: no space: what was in it is gone`);
    }
    if (!(await pause(everyMs, signal))) return;
  }
}

async function attempt<T>(
  what: string,
  act: () => Promise<T>,
  say: (what: string, why: string | null) => void,
): Promise<T | null> {
  try {
    const result = await act();
    say(what, null);
    return result;
  } catch (error) {
    // absence is the answer: it is said, once for as long as it is the same, and tried again.
    say(what, `it cannot be kept small: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}
