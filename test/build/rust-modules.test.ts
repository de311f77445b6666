import { execFile, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { listFiles } from "../../src/build/list-files.ts";
import { createRustBed, on, rustTimeout as timeout } from "../support/rust-bed.ts";

const run = promisify(execFile);
const modules = new URL("../beds/modules/", import.meta.url).pathname;

async function readModule(module: string): Promise<Record<string, string>> {
  const folder = join(modules, module);
  const paths = (await listFiles(folder)).filter((path) => !path.startsWith("target/"));
  const texts = await Promise.all(paths.map((path) => readFile(join(folder, path), "utf8")));
  return Object.fromEntries(paths.map((path, at) => [`${module}/${path}`, texts[at] ?? ""]));
}

async function findPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return address === null || typeof address === "string" ? 0 : address.port;
}

describe("the Rust modules of the beds", () => {
  it("are fit, and the page answers with what the library says", { timeout }, async () => {
    const bed = await createRustBed();
    await bed.commit({ ...(await readModule("rust-core")), ...(await readModule("rust-page")) });
    const core = await bed.build("rust-core");
    expect(core.findings).toEqual([]);
    if (core.artifact === null) throw new Error(`rust-core is not fit: ${core.logTail}`);
    const page = await bed.build("rust-page", { dependencies: [on("rust-core", core.artifact)] });
    expect(page.findings).toEqual([]);
    if (page.artifact === null) throw new Error(`rust-page is not fit: ${page.logTail}`);

    const port = await findPort();
    const program = join(await bed.unpack(page.artifact), "bin", "rust-page");
    const child = spawn(program, { env: { PORT: String(port) }, stdio: "ignore" });
    onTestFinished(() => void child.kill());
    // The whole answer, once somebody listens.
    const words = ["-sS", "--retry", "50", "--retry-connrefused", "--retry-delay", "1"];
    const ask = async (path: string) => (await run("curl", [...words, `http://127.0.0.1:${port}${path}`])).stdout;
    expect(await ask("/healthz")).toBe("ok");
    expect(await ask("/")).toBe("<h1>rust-page runs, from rust-core</h1>");
  });
});
