import type { SituationWord } from "./situation.ts";

/** 0 settled · 1 pending · 2 failed, stuck, unfit, refused, did not settle · 3 cannot tell (R48). */
export type ExitCode = 0 | 1 | 2 | 3;

/** What is certain and bad comes before what cannot be told, and both before what is only pending. */
export function exitCodeOf(_situations: readonly { readonly word: SituationWord }[]): ExitCode {
  throw new Error("not written yet");
}
