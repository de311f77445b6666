export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export function countResults(report: object | null, run: { readonly failed: boolean; readonly gate?: string }): Counts;

export function formatCounts(counts: Counts): string;
