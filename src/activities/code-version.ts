import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** All that has a part in an answer. How it is shown is the command's own affair. */
const layers = ["activities", "build", "core", "decide", "disk", "link", "source", "store", "worker"];

let known: string | null = null;

/**
 * Names the code that answers questions, by its bytes, as it was when it was first asked for. A command and a controller that
 * were not built from the same sources may answer otherwise, and no number that somebody has to raise would say so.
 */
export function codeVersion(): string {
  known ??= hashCode();
  return known;
}

function hashCode(): string {
  const hash = createHash("sha256");
  for (const layer of layers) {
    const folder = fileURLToPath(new URL(`../${layer}/`, import.meta.url));
    const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => /\.[jt]s$/.test(path));
    for (const path of paths.toSorted())
      hash
        .update(`${layer}/${path}\0`)
        .update(readFileSync(`${folder}${path}`))
        .update("\0");
  }
  return hash.digest("hex").slice(0, 32);
}
