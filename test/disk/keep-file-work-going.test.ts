import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { bundlePrograms } from "../support/bundle-programs.ts";

const programs = ["../../src/host/main.ts", "./support/count-file-work.ts"];
const toFile = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

it("file work goes on by itself, and keeps no process from its end", async () => {
  const bundled = await Promise.all(programs.map((path) => bundlePrograms([toFile(path)])));
  const [host = "", count = ""] = bundled.flat();
  const run = promisify(execFile);
  // It ends when its own work is done: three more were asked for meanwhile.
  const { stdout } = await run(process.execPath, [count], { timeout: 60_000 });
  expect(Number(stdout)).toBeGreaterThanOrEqual(3);
  expect((await run(process.execPath, [host, "--help"], { timeout: 60_000 })).stdout).toContain("mesh-host run");
}, 60_000);
