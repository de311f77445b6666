import type { BenchContext } from "../main.ts";
import type { Row } from "../report/row.ts";

export async function benchComparison(_context: BenchContext): Promise<Row[]> {
  return [];
}
