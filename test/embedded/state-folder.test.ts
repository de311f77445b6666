import { chmod, lstat, mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openStateFolder } from "../../src/embedded/state-folder.ts";

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "mesh-state-")));
  await chmod(folder, 0o755);
});
afterEach(() => rm(folder, { recursive: true }));

const progress = (): void => undefined;
const isRoot = process.getuid?.() === 0;

it("keeps its ports from one start to the next, and gives each name its own", async () => {
  const path = join(folder, ".mesh");
  const first = await openStateFolder({ path, progress });
  const ports = await Promise.all(["postgres", "temporal", "gateway", "postgres"].map((name) => first.keepPort(name)));
  await first.release();
  expect(new Set(ports).size).toBe(3);
  expect(ports[0]).toBe(ports[3]);
  const second = await openStateFolder({ path, progress });
  expect(await second.keepPort("temporal")).toBe(ports[1]);
  await second.release();
});

it("keeps secrets from others, and lets servers reach the rest", async () => {
  const state = await openStateFolder({ path: join(folder, "deep", ".mesh"), progress });
  expect((await stat(state.paths.secrets)).mode & 0o777).toBe(0o700);
  expect((await stat(state.paths.root)).mode & 0o777).toBe(0o755);
  await state.release();
});

it("completes a folder that a killed start left half made", async () => {
  const path = join(folder, ".mesh");
  await mkdir(path);
  const state = await openStateFolder({ path, progress });
  expect((await stat(state.paths.run)).isDirectory()).toBe(true);
  await state.release();
});

it("refuses a ports.json that is not its own (R42)", async () => {
  const state = await openStateFolder({ path: join(folder, ".mesh"), progress });
  await writeFile(join(state.paths.root, "ports.json"), `{"postgres":"many"}`);
  await expect(state.keepPort("postgres")).rejects.toThrow(/ports\.json/);
  expect(await readFile(join(state.paths.root, "ports.json"), "utf8")).toBe(`{"postgres":"many"}`);
  await state.release();
});

it.runIf(isRoot)("is kept elsewhere for root where nobody could not get to it, with a link in its place", async () => {
  const closed = join(folder, "home");
  await mkdir(closed, { mode: 0o700 });
  const said: string[] = [];
  const options = {
    path: join(closed, ".mesh"),
    elsewhere: join(folder, "var"),
    progress: (line: string) => said.push(line),
  };
  const first = await openStateFolder(options);
  await first.release();
  expect(first.paths.root.startsWith(join(folder, "var"))).toBe(true);
  expect((await lstat(options.path)).isSymbolicLink()).toBe(true);
  expect(said.join()).toMatch(/kept in/);
  const second = await openStateFolder(options);
  expect(second.paths.root).toBe(first.paths.root);
  await second.release();
});
