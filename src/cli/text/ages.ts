import { describeDuration } from "../../core/durations.ts";

/** How old a piece of knowledge is. */
export function describeAge(then: Date | string | null, now: Date): string {
  if (then === null) return "never";
  const ms = now.getTime() - new Date(then).getTime();
  return ms < 1000 ? "just now" : `${describeDuration(ms)} ago`;
}
