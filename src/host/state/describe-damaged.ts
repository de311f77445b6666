import type { ResourceReport } from "../../core/report.ts";
import { cutText } from "../describe-failure.ts";
import type { DamagedFile } from "./set-aside.ts";

/** A sentence with its path. */
export function describeDamaged({ file, why, aside }: DamagedFile): string {
  const kept = aside === null ? "it cannot be moved aside" : `it is kept as ${aside}`;
  return `${file} is damaged: ${why}; ${kept}`;
}

/**
 * The host's own state is no resource of a declaration, but what was wrong with it is said in the same place: found, mended
 * by reading back what is there, and therefore *drift*. Null: nothing was damaged.
 */
export function reportDamaged(damaged: readonly DamagedFile[]): ResourceReport | null {
  if (damaged.length === 0) return null;
  const found = damaged.map((one) => describeDamaged(one)).join("; ");
  const message = cutText(`${found}. What it said is lost; what is there was read from the system`, 2000);
  const drift = { wanted: "the host's own files as they were written", found: cutText(found, 500) };
  return { id: "host/files", state: "applied", message, drift };
}
