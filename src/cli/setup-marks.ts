import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Question } from "../core/asking.ts";
import { whenThere } from "../core/errors.ts";
import { meshFileName } from "./find-mesh.ts";

/** By what a command and a controller tell that they mean the same mesh with the same settings. Reads no more than that. */
export async function markSetup(
  stateFolder: string,
): Promise<Pick<Question, "state" | "setup"> & { readonly meshFile: string }> {
  const read = async (name: string): Promise<string> =>
    (await whenThere(readFile(join(stateFolder, name), "utf8"))) ?? "";
  const [{ dev, ino }, meshFile, settings] = await Promise.all([
    stat(stateFolder),
    read(meshFileName),
    read("settings.json"),
  ]);
  const setup = createHash("sha256")
    .update(`${Buffer.byteLength(meshFile)}\0`)
    .update(meshFile)
    .update(settings);
  return { state: `${dev}:${ino}`, setup: setup.digest("hex"), meshFile };
}
