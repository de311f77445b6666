import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Artifact } from "../../src/core/artifact.ts";
import { unpackArtifact } from "../../src/link/artifact/unpack.ts";
import type { BuildBed } from "./build-bed.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

const run = promisify(execFile);

/** The artifact's files in a folder of this test's own. */
export async function unpack(bed: BuildBed, artifact: Artifact): Promise<string> {
  const into = join(await createTemporaryFolder(), "unpacked");
  await unpackArtifact({ from: await bed.store.openBlob(artifact.blob), into, digest: artifact.digest });
  return into;
}

/** Every file below it, sorted. */
export async function listPaths(folder: string): Promise<string[]> {
  const { stdout } = await run("find", [".", "-type", "f"], { cwd: folder });
  return stdout
    .trim()
    .split("\n")
    .map((path) => path.slice(2))
    .toSorted();
}
