import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { chooseFreePort } from "../../src/embedded/ports.ts";
import { listProcesses } from "../../src/embedded/processes.ts";
import { startTemporal } from "../../src/embedded/temporal.ts";

/** Serves, says that it does, and never gets its namespace set: as on a machine that is too slow for its bounds. */
const standIn = `#!${process.execPath}
const words = process.argv.slice(2).join(" ");
if (words.startsWith("server")) setInterval(() => undefined, 1000);
else if (words.startsWith("operator cluster health")) console.log("SERVING");
else {
  console.error("context deadline exceeded");
  process.exit(1);
}
`;

it("ends the server that it started where its namespace cannot be prepared (R50)", async () => {
  const folder = await mkdtemp(join(tmpdir(), "mesh-temporal-start-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "temporal");
  await writeFile(path, standIn);
  await chmod(path, 0o755);
  const data = join(folder, "data");
  const said: string[] = [];
  const started = startTemporal({
    binary: { path, versions: { cli: "1", server: "1", ui: "1" }, road: "a stand-in" },
    folder: data,
    runFolder: folder,
    logFolder: folder,
    port: await chooseFreePort(),
    uiPort: await chooseFreePort(),
    progress: (line) => said.push(line),
  });
  await expect(started).rejects.toThrow("context deadline exceeded");
  expect(said).toEqual([expect.stringContaining("Temporal server 1 on port")]);
  expect(await listProcesses({ cwd: data })).toEqual([]);
  await expect(readFile(join(folder, "temporal.json"))).rejects.toThrow("ENOENT");
});
