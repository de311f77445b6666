import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { runMesh } from "./fake-context.ts";

it("keys are found upward from where a person stands, also of a mesh that was never started (R48)", async () => {
  const clone = await createTemporaryFolder();
  await mkdir(join(clone, "below"));
  const made = await runMesh(["keys", "init"], { cwd: clone });
  expect(made.code).toBe(0);
  const shown = await runMesh(["keys", "show", "--json"], { cwd: join(clone, "below") });
  expect(JSON.parse(shown.stdout)).toMatchObject({ schema: "mesh.keys-show.v1", mesh: "local" });
  const status = await runMesh(["status"], { cwd: clone });
  expect(status.stderr).toMatch(/^mesh: no mesh found/);
});
