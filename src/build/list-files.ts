import { readdir } from "node:fs/promises";

/** Every file below a folder, relative to it, sorted. Links are named, never followed. */
export async function listFiles(folder: string): Promise<string[]> {
  const found: string[] = [];
  const walk = async (below: string): Promise<void> => {
    for (const entry of await readdir(below === "" ? folder : `${folder}/${below}`, { withFileTypes: true })) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) await walk(path);
      else found.push(path);
    }
  };
  await walk("");
  return found.toSorted();
}
