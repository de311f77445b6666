import type { Condition } from "../../core/condition.ts";
import { describeAge } from "./ages.ts";
import { plainLine } from "./plain.ts";
import { quoteWord } from "./quote-word.ts";

/** Each with what to do; `watched`: a controller acts, so that what is not listed is not so. */
export function conditionsText(
  conditions: readonly (Condition & { readonly watches: string | null; readonly clearedByHand: boolean })[],
  watched: boolean,
  now: Date,
): string {
  const blocks = conditions.map((one) =>
    [
      `${one.urgent ? "! " : ""}${one.code} ${plainLine(one.subject, 120)}`,
      `  ${plainLine(one.message)}`,
      `  since ${describeAge(one.since, now)}, ${one.count} times, last seen ${describeAge(one.lastSeen, now)}`,
      ...(one.remedy === "" ? [] : [`  what to do: ${plainLine(one.remedy)}`]),
      ...(one.clearedByHand ? [`  then: mesh conditions clear ${one.code} ${quoteWord(one.subject)}`] : []),
    ].join("\n"),
  );
  const open = blocks.length === 0 ? ["no condition is open"] : blocks;
  const isFull = conditions.some(({ code, urgent }) => code === "disk-full" && urgent);
  const start = isFull ? "make room on that disk, then npm start (or mesh serve)" : "npm start (or mesh serve)";
  const blind = `no controller acts, so nobody looks: this may be out of date\n  next: ${start}`;
  return [...open, ...(watched ? [] : [blind])].join("\n\n");
}
