import { hashCode } from "./hash-code.ts";

/** What facts are read by: this folder, and the schemas that manifests are held to. */
const folders = ["source", "core"];

let known: string | null = null;

/**
 * Names the code that reads sources, by its bytes: facts that other code read are read again. A number that somebody has
 * to remember to raise would be forgotten once, and then edges would be missing without a word.
 */
export function readersVersion(): string {
  known ??= hashCode(folders, 16);
  return known;
}
