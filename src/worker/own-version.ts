import { readFile } from "node:fs/promises";
import { z } from "zod";

/** Version of this product: what a statement about a build names as its builder. */
export async function readOwnVersion(): Promise<string> {
  const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}
