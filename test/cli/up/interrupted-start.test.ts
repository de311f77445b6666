import { join } from "node:path";
import { expect, it } from "vitest";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { runMesh } from "../fake-context.ts";

it("a start that is interrupted cannot tell, and says so in a document too (R48)", async () => {
  const state = join(await createTemporaryFolder(), "mesh");
  const env = { DATABASE_URL: "postgres://127.0.0.1:1/mesh", TEMPORAL_ADDRESS: "127.0.0.1:1" };
  const ran = await runMesh(["up", "--no-examples", "--json", "--state", state], {
    env,
    interrupt: AbortSignal.abort(),
  });
  expect(ran.code).toBe(3);
  expect(ran.stderr).toContain("ending what this command started\nmesh: it was interrupted before the mesh was up\n");
  expect(JSON.parse(ran.stdout)).toMatchObject({ schema: "mesh.up.v1", error: { kind: "unavailable" } });
});
