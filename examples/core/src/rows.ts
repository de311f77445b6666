/** One line on the board. */
export interface Row {
  readonly id: number;
  readonly text: string;
  readonly writtenAt: Date;
}

/** The text of a new row, or a sentence that says what is wrong with it. */
export function parseRowText(input: string): { ok: true; text: string } | { ok: false; why: string } {
  const text = input.trim();
  if (text === "") return { ok: false, why: "a row needs a text" };
  if (text.length > 200) return { ok: false, why: `a row has at most 200 characters, this one has ${text.length}` };
  return { ok: true, text };
}

/** How long ago, in words a person reads at a glance. */
export function describeAge(writtenAt: Date, now: Date): string {
  const seconds = Math.max(0, Math.floor((now.getTime() - writtenAt.getTime()) / 1000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86400)} d ago`;
}
