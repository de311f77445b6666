import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Names the code in these folders of `src` (of `dist`, where it is built) by its bytes and paths. */
export function hashCode(folders: readonly string[], digits: number): string {
  const hash = createHash("sha256");
  for (const name of folders) {
    const folder = fileURLToPath(new URL(`../${name}/`, import.meta.url));
    const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => /\.[jt]s$/.test(path));
    for (const path of paths.toSorted())
      hash
        .update(`${name}/${path}\0`)
        .update(readFileSync(`${folder}${path}`))
        .update("\0");
  }
  return hash.digest("hex").slice(0, digits);
}
