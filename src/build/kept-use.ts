import { utimes } from "node:fs/promises";
import { whenThere } from "../core/errors.ts";

/**
 * Is this kept in the cache? Asked by who is about to use it, and noted as a use: what was used lately is the last to be
 * thrown away, and never while a build may still read it.
 */
export async function isKept(path: string): Promise<boolean> {
  const now = new Date();
  return (await whenThere(utimes(path, now, now).then(() => true))) ?? false;
}
