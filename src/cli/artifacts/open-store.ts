import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openArtifactStore, type ArtifactStore } from "../../build/artifact-store.ts";
import { errorCode, InputError, UnavailableError } from "../../core/errors.ts";
import { verifyRoot, type Root } from "../../link/root.ts";
import type { MeshConnection } from "../mesh-connection.ts";

/** The store as the controller left it. UnavailableError where it is not there or does not read: never an empty one. */
export async function openKnownStore({ paths }: Pick<MeshConnection, "paths">): Promise<ArtifactStore> {
  try {
    await readFile(join(paths.artifacts, "oci-layout"));
    return await openArtifactStore(paths.artifacts);
  } catch (error) {
    if (errorCode(error) === null) throw error;
    throw new UnavailableError(
      `the artifact store in ${paths.artifacts} does not answer: ${error instanceof Error ? error.message : ""}`,
      "is this the machine of the controller, and may you read there?",
      { cause: error },
    );
  }
}

/** The root document: who may sign what. */
export async function readRoot({ paths, mesh }: Pick<MeshConnection, "paths" | "mesh">): Promise<Root> {
  let bytes: Buffer;
  try {
    bytes = await readFile(paths.rootDocument);
  } catch (error) {
    throw new UnavailableError(`the root document ${paths.rootDocument} cannot be read`, "restore it from a copy", {
      cause: error,
    });
  }
  const verified = verifyRoot(bytes, { mesh });
  if (verified.ok) return verified.root;
  throw new InputError(`the root document ${paths.rootDocument} is refused: ${verified.message}`, "restore it");
}
