import { hashCode } from "../source/hash-code.ts";

/** All that has a part in an answer. How it is shown is the command's own affair. */
const layers = ["activities", "build", "core", "decide", "disk", "link", "source", "store", "worker"];

let known: string | null = null;

/**
 * Names the code that answers questions, by its bytes, as it was when it was first asked for. A command and a controller that
 * were not built from the same sources may answer otherwise, and no number that somebody has to raise would say so.
 */
export function codeVersion(): string {
  known ??= hashCode(layers, 32);
  return known;
}
