import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Records histories of every workflow on real servers: see README.md here for when. */
const root = fileURLToPath(new URL("../..", import.meta.url));
const { status } = spawnSync("npx", ["vitest", "run", "--project", "flows", "test/flows/reconcile-histories"], {
  cwd: root,
  env: { ...process.env, MESH_RECORD_HISTORIES: "yes" },
  stdio: "inherit",
});
process.exitCode = status ?? 1;
