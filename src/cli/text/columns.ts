/** Rows as aligned columns, two blanks between them, nothing behind the last. The first row may be a heading. */
export function alignColumns(rows: readonly (readonly string[])[], indent = ""): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, [...cell].length);
    });
  }
  return rows
    .map((row) =>
      `${indent}${row.map((cell, index) => (index === row.length - 1 ? cell : cell + " ".repeat((widths[index] ?? 0) - [...cell].length))).join("  ")}`.trimEnd(),
    )
    .join("\n");
}
