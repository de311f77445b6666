import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** What facts are read by: this folder, and the schemas that manifests are held to. */
const folders = ["./", "../core/"].map((folder) => fileURLToPath(new URL(folder, import.meta.url)));

let known: string | null = null;

/**
 * Names the code that reads sources, by its bytes: facts that other code read are read again. A number that somebody has
 * to remember to raise would be forgotten once, and then edges would be missing without a word.
 */
export function readersVersion(): string {
  known ??= hashCode();
  return known;
}

function hashCode(): string {
  const hash = createHash("sha256");
  for (const folder of folders) {
    const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => /\.[jt]s$/.test(path));
    for (const path of paths.toSorted())
      hash
        .update(`${path}\0`)
        .update(readFileSync(`${folder}${path}`))
        .update("\0");
  }
  return hash.digest("hex").slice(0, 16);
}
