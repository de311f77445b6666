/** What each kind of due work is called, before its colon: the beginnings of why a controller wakes its own loop. */
export const dueWords = {
  moved: "source moved",
  unseen: "new modules",
  unfetched: "sources to fetch again",
  unread: "modules to read again",
  unpublished: "imports of what is registered no more",
  held: "newer commits held back",
  again: "builds to try again",
  judged: "verdicts that no plan has read",
  planned: "planned builds that nobody began",
  silent: "builds without a verdict",
  policies: "policies to follow",
  toolchains: "toolchains changed",
} as const;

const beginnings = [...Object.values(dueWords).map((words) => `${words}: `), "webhook of "];

export function describeWebhook(source: string): string {
  return `webhook of ${source}`;
}

/**
 * Whether nobody asked for this look in person: sources that do not answer need not be asked for it before their turn. What is
 * not known here was asked for by somebody. No reasons: the loop looks by itself.
 */
export function isOwnLook(reasons: readonly string[]): boolean {
  return reasons.every((why) => beginnings.some((beginning) => why.startsWith(beginning)));
}
