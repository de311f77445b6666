import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder of this test's own, removed when the test ends. */
export async function createTemporaryFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "mesh-test-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}
