import { z } from "zod";
import type { FileImports, Import } from "./import-reader.ts";

/** What one file says, before anything is judged: the same of Go's own parser and of the grammar. */
export const goRawSchema = z.strictObject({
  /** No build includes it: its constraint needs the tag `ignore`. */
  ignored: z.boolean(),
  imports: z.array(
    z.strictObject({
      path: z.string(),
      /** Empty where the import has no name of its own, `_` blank, `.` dot. */
      name: z.string(),
      line: z.number().int().positive(),
    }),
  ),
  /** `patterns`: what stands behind `//go:embed`. */
  embeds: z.array(z.strictObject({ patterns: z.string(), line: z.number().int().positive() })),
  faults: z.array(z.strictObject({ line: z.number().int().nonnegative(), message: z.string() })),
});
export type GoRaw = z.infer<typeof goRawSchema>;

/** Go's own rule for what an import path may not hold. */
const illegal = /[!"#$%&'()*,:;<=>?[\\\]^`{|}\uFFFD\s\p{C}\p{Z}]/u;

export function toFileImports(raw: GoRaw): FileImports {
  if (raw.ignored) return { imports: [], findings: [] };
  const imports: Import[] = [];
  const findings: FileImports["findings"] = raw.faults.slice(0, 5).map(({ line, message }) => ({
    severity: "error",
    line,
    message: `cannot be read, so its imports are not known: ${message.slice(0, 300)}`,
  }));
  for (const { path, name, line } of raw.imports) {
    if (path === "" || illegal.test(path) || path.length > 500)
      findings.push({ severity: "error", line, message: "imports a path that no package can have" });
    else imports.push({ specifier: path, kind: name === "_" ? "side-effect" : "static", line });
  }
  for (const { patterns, line } of raw.embeds)
    for (const pattern of patternsOf(patterns))
      if (leavesFolder(pattern))
        findings.push({ severity: "error", line, message: `embeds ${pattern}, which is outside the file's folder` });
  return { imports, findings };
}

function patternsOf(text: string): string[] {
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"|`([^`]*)`|(\S+)/g)].map((one) => one[1] ?? one[2] ?? one[3] ?? "");
}

function leavesFolder(pattern: string): boolean {
  const path = pattern.replace(/^all:/, "");
  return path.startsWith("/") || path.split(/[/\\]/).includes("..");
}
