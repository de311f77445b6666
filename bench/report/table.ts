import type { Machine } from "./machine.ts";
import type { Row } from "./row.ts";

const columns = ["ratio", "to", "goal", "benchmark", "what", "p50", "p95", "unit", "runs"] as const;

/** Ratios first, then the numbers they come from, then the notes, then the commands that repeat them. */
export function formatTable(rows: readonly Row[], machine: Machine): string {
  const cells = [[...columns], ...rows.map(toCells)];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)));
  const lines = cells.map((line) =>
    line
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const notes = rows.filter((row) => row.note !== "").map((row) => `- ${row.bench}, ${row.what}: ${row.note}`);
  const commands = [...new Set(rows.map((row) => row.command))].map((command) => `  ${command}`);
  return [
    ...Object.entries(machine).map(([name, value]) => `${name}: ${value}`),
    "",
    ...lines,
    ...(notes.length === 0 ? [] : ["", ...notes]),
    "",
    "again:",
    ...commands,
    "",
  ].join("\n");
}

function toCells(row: Row): string[] {
  return [
    row.ratio === null ? "" : row.ratio.toFixed(2),
    row.of,
    row.met === null ? "" : row.met ? "met" : "MISSED",
    row.bench,
    row.what,
    formatNumber(row.p50),
    row.p95 === null ? "" : formatNumber(row.p95),
    row.unit,
    String(row.runs),
  ];
}

function formatNumber(value: number): string {
  return Math.abs(value) >= 100 || Number.isInteger(value) ? String(Math.round(value)) : value.toFixed(2);
}
