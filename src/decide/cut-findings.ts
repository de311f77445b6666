/** As many as are kept of one module, or of one build. */
export const findingsKept = 200;

interface SaidFinding {
  readonly severity: "error" | "warning";
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/**
 * All of them, or the first ones with how many more there are. Warnings go first: a module is not built for its errors, and
 * each of them is something to mend.
 */
export function cutFindings(findings: readonly SaidFinding[]): readonly SaidFinding[] {
  if (findings.length <= findingsKept) return findings;
  const errors = findings.filter(({ severity }) => severity === "error");
  const byWeight = [...errors, ...findings.filter(({ severity }) => severity === "warning")];
  const kept = new Set(byWeight.slice(0, findingsKept - 1));
  const lost = findings.length - kept.size;
  const lostErrors = Math.max(0, errors.length - kept.size);
  const message = `${lost} more findings are not kept, ${lostErrors} of them errors`;
  const last: SaidFinding = { severity: lostErrors > 0 ? "error" : "warning", file: ".", line: 0, message };
  return [...findings.filter((finding) => kept.has(finding)), last];
}
