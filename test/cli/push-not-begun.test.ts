import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseName } from "../../src/cli/arguments.ts";
import { openDatabase } from "../../src/store/database.ts";
import { connectionTo } from "./command-bed.ts";
import { runMesh } from "./fake-context.ts";

it("says of a push that met no PostgreSQL that none was begun (R48, R50)", async () => {
  const state = mkdtempSync(join(tmpdir(), "mesh-not-begun-"));
  writeFileSync(join(state, "mesh.json"), "{}");
  const db = openDatabase({
    url: "postgresql://mesh@127.0.0.1:1/mesh",
    maxConnections: 1,
    applicationName: "not-begun",
    statementTimeoutMs: 5_000,
  });
  try {
    const connection = connectionTo({ state, mesh: parseName("mesh", "demo"), db });
    const ran = await runMesh(["push", "node-a"], {
      env: { MESH_STATE: state },
      openMesh: () => Promise.resolve(connection),
    });
    expect(ran.code).toBe(3);
    expect(ran.stderr).toMatch(/^mesh: no push was begun\nmesh: the mesh in .* is not up: /);
  } finally {
    await db.end();
    rmSync(state, { recursive: true });
  }
});
