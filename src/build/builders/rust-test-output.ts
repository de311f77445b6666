/** How many tests ran, by the harness's own words. */
export function countTests(output: string): number {
  let count = 0;
  for (const found of output.matchAll(/^running (\d+) tests?$/gm)) count += Number(found[1]);
  return count;
}

/** Names and reasons of failing tests, out of what the harness prints. */
export function describeRustFailures(output: string): string {
  const names = [...new Set([...output.matchAll(/^test (.+) \.\.\. FAILED$/gm)].map((found) => found[1] ?? ""))];
  if (names.length === 0) return `the tests ended with a failure, and none of them is named:\n${lastLines(output, 15)}`;
  // As many as are shown: each is looked for in all that was printed.
  const failures = names.slice(0, 10).map((name) => {
    const from = output.indexOf(`---- ${name} stdout ----`);
    const until = output.indexOf("\n---- ", from + 1);
    const part = from === -1 ? "" : output.slice(from, until === -1 ? from + 4000 : until);
    const reason = /panicked at (\S+?):(\d+):\d+:\n([^\n]*)/.exec(part);
    return reason === null ? `${name}: failed` : `${name}: ${reason[3] ?? ""} (${reason[1] ?? ""}:${reason[2] ?? ""})`;
  });
  const more = names.length > 10 ? `\n… and ${names.length - 10} more` : "";
  return `${names.length} ${names.length === 1 ? "test fails" : "tests fail"}:\n${failures.join("\n")}${more}`;
}

/** Where the compiler says errors; all of it where it does not. */
export function describeCompileErrors(log: string): string {
  const lines = log.trim().split("\n");
  const first = lines.findIndex((line) => /^error\b/.test(line));
  const from = first === -1 ? Math.max(0, lines.length - 20) : first;
  const more = lines.length > from + 25 ? `\n… and ${lines.length - from - 25} lines more` : "";
  return lines.slice(from, from + 25).join("\n") + more;
}

function lastLines(text: string, count: number): string {
  return text.trim().split("\n").slice(-count).join("\n");
}
