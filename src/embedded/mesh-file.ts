import { join } from "node:path";
import { InputError } from "../core/errors.ts";
import { isRecord, readJson } from "./read-json.ts";

/** What other commands need to find the mesh of a state folder. Holds no secret: anybody on the machine may read it. */
export interface MeshFile {
  readonly version: 1;
  readonly mesh: string;
  /** By what listens there, such as `postgres`, `temporal`, `temporal-ui`, `gateway`. Kept, so that addresses stay. */
  readonly ports: Readonly<Record<string, number>>;
  readonly urls: Readonly<Record<string, string>>;
}

/** Null when there is no mesh in that folder. */
export async function readMeshFile(folder: string): Promise<MeshFile | null> {
  const path = join(folder, "mesh.json");
  const file = await readJson(path, isRecord);
  if (file === null) return null;
  if (file["version"] !== 1) {
    throw new InputError(
      `${path} is of another version (${String(file["version"])}) of this program`,
      "Use the program that wrote it, or begin anew in another folder with --state DIR.",
    );
  }
  if (isMeshFile(file)) return file;
  throw new InputError(`${path} is not what was written there`, "Put it back, or begin anew with --state DIR.");
}

function isMeshFile(value: unknown): value is MeshFile {
  if (!isRecord(value) || typeof value["mesh"] !== "string") return false;
  const { ports, urls } = value;
  if (!isRecord(ports) || !isRecord(urls)) return false;
  return (
    Object.values(ports).every((port) => Number.isInteger(port)) &&
    Object.values(urls).every((url) => typeof url === "string")
  );
}
