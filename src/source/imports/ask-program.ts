import { execFileSync } from "node:child_process";
import { errorCode } from "../../core/errors.ts";

/**
 * Whoever asks waits, and so does all else of this process, the renewal of the lease included. It comes every 5 s and has 12 s:
 * two languages may keep it waiting one after the other. A stand-in that picks the real program takes a tenth of a second.
 */
const patienceMs = 3_000;

/** A program that did not answer, or not as it should, is asked again after so long, whatever it was that kept it. */
const askAgainMs = 30_000;

/** It did not answer in time: whether it is there cannot be told now. */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
}

export interface Ask {
  (program: string, words: readonly string[], env?: Readonly<Record<string, string>>): string;
}

/**
 * Asks programs what they are; all questions together take no longer than that. In the root folder: nothing lies there that
 * would choose another program. Throws the system's own error, or NoAnswerError.
 */
export function createAsk(): Ask {
  const endMs = performance.now() + patienceMs;
  return (program, words, env) => {
    try {
      return execFileSync(program, words, {
        cwd: "/",
        encoding: "utf8",
        timeout: Math.max(1, Math.ceil(endMs - performance.now())),
        // It may not want to end.
        killSignal: "SIGKILL",
        stdio: ["ignore", "pipe", "pipe"],
        ...(env === undefined ? {} : { env: { ...env } }),
      }).trim();
    } catch (error) {
      if (errorCode(error) !== "ETIMEDOUT") throw error;
      throw new NoAnswerError(`${program} does not answer within ${patienceMs / 1000} s`, { cause: error });
    }
  };
}

/** What a program answered, as long as it counts. */
export interface AnswerMemory<Answer> {
  /** Null: it is to be asked. */
  find(marks: string): Answer | null;
  keep(marks: string, answer: Answer): void;
}

/**
 * An answer counts until one of the files it depends on changes. One that says *absent* does so too, but no longer than a moment:
 * what was missing may come to a place that nobody looks at.
 */
export function createAnswerMemory<Answer>(
  isAbsent: (answer: Answer) => boolean,
  nowMs: () => number = () => performance.now(),
): AnswerMemory<Answer> {
  let known: { readonly marks: string; readonly answer: Answer; readonly untilMs: number } | null = null;
  return {
    find: (marks) => (known !== null && known.marks === marks && nowMs() < known.untilMs ? known.answer : null),
    keep: (marks, answer) => {
      known = { marks, answer, untilMs: isAbsent(answer) ? nowMs() + askAgainMs : Number.POSITIVE_INFINITY };
    },
  };
}
