/** Something a reader of sources has to say about one place. An error keeps the module from being built. */
export interface Finding {
  readonly severity: "error" | "warning";
  /** Relative to the module's folder. */
  readonly file: string;
  /** From 1; 0 where the whole file is meant. */
  readonly line: number;
  readonly message: string;
}

export function describeFinding(finding: Finding): string {
  return finding.line > 0
    ? `${finding.file}:${finding.line}: ${finding.message}`
    : `${finding.file}: ${finding.message}`;
}
