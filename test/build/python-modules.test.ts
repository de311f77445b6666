import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { listFiles } from "../../src/build/list-files.ts";
import { createPythonBed, dependOn, unpackBuilt } from "../support/python-bed.ts";

async function readModule(module: string): Promise<Record<string, string>> {
  const folder = join(import.meta.dirname, "..", "beds", "modules", module);
  const files: Record<string, string> = {};
  for (const path of await listFiles(folder)) files[`${module}/${path}`] = await readFile(join(folder, path), "utf8");
  return files;
}

async function findPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("a listening server has a port");
  return address.port;
}

it("the beds' own modules are fit, and the page answers by its launcher", { timeout: 240_000 }, async () => {
  const bed = await createPythonBed({ ...(await readModule("python-core")), ...(await readModule("python-page")) });
  const core = await bed.buildFit("python-core");
  const page = await bed.buildFit("python-page", { dependencies: [dependOn("python-core", core)] });
  const folder = await unpackBuilt(bed, page);
  const port = await findPort();
  // As the supervisor starts it: nothing but where programs are.
  const env = { PATH: process.env["PATH"], PORT: String(port), NAME: "bed" };
  const child = spawn(join(folder, "bin/python-page"), [], { cwd: "/", env, stdio: "ignore" });
  onTestFinished(() => void child.kill());
  const read = async (path: string): Promise<string | null> => {
    try {
      return await (await fetch(`http://127.0.0.1:${port}${path}`)).text();
    } catch {
      // absence is the answer: it does not listen yet
      return null;
    }
  };
  await expect.poll(() => read("/healthz"), { timeout: 60_000 }).toBe("ok");
  expect(await read("/")).toBe("hello bed, from python-core");
});
