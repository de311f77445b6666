import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import { openMeshConnection } from "../../src/cli/mesh-connection.ts";
import { type Ran, runMesh } from "../cli/fake-context.ts";
import { createGitRepository } from "../support/git-repository.ts";
import { filesModule } from "./support/module-files.ts";
import { openServedMesh, type ServedMesh } from "./support/served-mesh.ts";
import { waitUntil } from "./support/wait-until.ts";

let served: ServedMesh;

beforeEach(async () => {
  served = await openServedMesh();
});
afterEach(() => served.close());

async function mesh(...words: string[]): Promise<Ran> {
  return runMesh(words, { env: { MESH_STATE: served.state }, openMesh: openMeshConnection });
}

it(
  "a dry run asks the controller that acts, and the next one once that is killed; in between it works alone (R34)",
  { timeout: 240_000 },
  async () => {
    const source = await createGitRepository();
    onTestFinished(() => source.remove());
    await source.commit(filesModule("page", "one"));
    const first = served.startController();
    await first.hears("ready", 90_000);
    await mesh("repo", "add", "source", source.dir);
    await mesh("module", "add", "page", "--repo", "source", "--path", "page");
    const built = await mesh("build", "--wait", "--timeout", "90");
    expect(built.code, built.stdout + built.stderr).toBe(0);
    const second = served.startController();
    await second.hears("stands by", 90_000);

    const asked = await mesh("build", "--dry-run");
    expect(asked).toMatchObject({ code: 0, opened: false, stderr: "  answered by the running controller\n" });
    expect(asked.stdout).toContain("what is built of 1 module is what its source is now");
    await rm(join(served.state, "ask"), { recursive: true });
    await waitUntil(
      "it listens again",
      async () => (await mesh("build", "--dry-run")).stderr.includes("answered by"),
      60_000,
    );

    await first.end("SIGKILL");
    expect(await mesh("build", "--dry-run")).toMatchObject({
      code: 0,
      opened: true,
      stderr: "  worked out by this process: no controller listens here\n",
    });
    await second.hears("ready", 90_000);
    await waitUntil(
      "the other is asked",
      async () => (await mesh("build", "--dry-run")).stderr.includes("answered by"),
      60_000,
    );
    expect(await second.end("SIGTERM")).toBe(0);
    expect((await mesh("build", "--dry-run")).stderr).toContain("no controller listens here");
  },
);
