import { readFile } from "node:fs/promises";

/** The address of the database made for this service, from the file that the host wrote. */
export async function readDatabaseUrl(path: string): Promise<string> {
  const provisions: unknown = JSON.parse(await readFile(path, "utf8"));
  const database = isObject(provisions) ? provisions["database"] : undefined;
  const url = isObject(database) ? database["url"] : undefined;
  if (typeof url !== "string") throw new Error(`no "database" with a url in ${path}`);
  return url;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
