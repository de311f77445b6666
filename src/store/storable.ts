/**
 * PostgreSQL keeps neither NUL nor lone surrogates. Words from outside (a test's output, a commit's subject, an import)
 * may hold both; they become U+FFFD, so that hostile text is data and not a failed write (case 52).
 */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD");
}

/** JSON for a jsonb parameter. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => (typeof member === "string" ? storableText(member) : member));
}
