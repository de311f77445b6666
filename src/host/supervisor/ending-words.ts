import { describeFailure } from "../describe-failure.ts";

export function sayExit(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `exit code ${code}` : `signal ${signal}`;
}

export function sayNoStart(error: unknown): string {
  return `cannot be started: ${describeFailure(error)}`;
}

export const endedUnseen = "ended, how is not known: an earlier host had started it";

/** It is the words of an exit, before whatever the log said. */
export function isExit(text: string): boolean {
  return /^(exit code|signal) /.test(text);
}

/** It has ended as often as makes it a failure. */
export const endsAgain = "it ends again and again";

/** What a message tells of endings. It begins with how: those words are known here, and are shortened only at their end. */
export function tellEnding(message: string): "none" | "ended" | "ends-again" {
  const starts = ["cannot be started: ", endedUnseen];
  if (!isExit(message) && !starts.some((start) => message.startsWith(start))) return "none";
  return message.includes(endsAgain) ? "ends-again" : "ended";
}
