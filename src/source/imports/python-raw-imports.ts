import { z } from "zod";
import type { FileImports, Import } from "./import-reader.ts";

/** What both readers of Python hand over: the interpreter's, and the grammar's. What it means is said here, once. */
export const rawImportsSchema = z.strictObject({
  imports: z.array(
    z.strictObject({
      /** As it is written, with the dots of a relative one: `a.b`, `.`, `..x`. */
      specifier: z.string(),
      kind: z.enum(["static", "type", "dynamic"]),
      line: z.number().int().positive(),
      /** The code goes on without it. */
      optional: z.boolean(),
    }),
  ),
  /** Calls that import a computed name. */
  computed: z.array(z.strictObject({ line: z.number().int().positive(), call: z.string() })),
  /** Why the file could not be read; then nothing else of it is known. */
  fault: z.strictObject({ line: z.number().int().nonnegative(), message: z.string() }).nullable(),
});
export type RawImports = z.infer<typeof rawImportsSchema>;

export function describeRawImports(raw: RawImports): FileImports {
  if (raw.fault !== null) {
    const message = `cannot be read, so its imports are not known: ${printable(raw.fault.message)}`;
    return { imports: [], findings: [{ severity: "error", line: raw.fault.line, message }] };
  }
  const imports: Import[] = [];
  const findings: FileImports["findings"] = raw.computed.map(({ line, call }) => ({
    severity: "warning",
    line,
    message: `${call}() of a computed name: what it needs is not known`,
  }));
  for (const { specifier, kind, line, optional } of raw.imports) {
    if (/\p{Cc}/u.test(specifier) || !specifier.isWellFormed() || specifier.length > 500 || specifier === "") {
      const message = "imports a name that is empty, has control characters, or is longer than 500";
      findings.push({ severity: "error", line, message });
    } else imports.push({ specifier, kind, line, ...(optional ? { optional: true } : {}) });
  }
  const order = (one: Import, other: Import): number =>
    one.line - other.line || (one.specifier < other.specifier ? -1 : one.specifier > other.specifier ? 1 : 0);
  return { imports: imports.toSorted(order), findings: findings.toSorted((a, b) => a.line - b.line) };
}

function printable(text: string): string {
  return text
    .replaceAll(/\p{Cc}/gu, " ")
    .toWellFormed()
    .slice(0, 300);
}
