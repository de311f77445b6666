/** More than a stack and what Node prints of an error's fields; less than what the service said long before. */
const lookedAt = 30;
const lineLimit = 200;

/** What runtimes print around the reason: Node's version and hints, rows of a stack, carets, closing braces. */
const noise = [
  /^$/,
  /^Node\.js v\d/,
  /^\s*at /,
  /^\s*\.\.\. \d+ (more|lines matching)/,
  /^[\s^~]+$/,
  /^[\s{}()[\],;]+$/,
  /^\(Use `node /,
  /^note: run with `RUST_BACKTRACE/,
  /^exit status \d+$/,
];

/** `TypeError: …`, `Error [CODE]: …`, `psycopg.OperationalError: …`, `panic: …`; a cause is indented and comes second. */
const namesError = /^(?:\S.*?\s)?(?:[\w.$]*(?:Error|Exception|Rejection)(?: \[\w+\])?(?:: |:?$)|panic: )/;

/** Of a log's last lines, the one that most likely says why the program ended; "" when none says anything. */
export function chooseEndingReason(text: string): string {
  const lines = text
    .split("\n")
    .map((line) =>
      line
        .replaceAll("\t", "    ")
        .replaceAll(/\p{Cc}/gu, " ")
        .trimEnd(),
    )
    .slice(-lookedAt)
    .filter((line) => !noise.some((pattern) => pattern.test(line)));
  const chosen =
    lines.findLast((line) => namesError.test(line)) ?? lines.findLast((line) => /^\S/.test(line)) ?? lines.at(-1) ?? "";
  return chosen.trim().slice(0, lineLimit).toWellFormed();
}
