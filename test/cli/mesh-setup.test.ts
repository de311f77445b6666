import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { InputError } from "../../src/core/errors.ts";
import { readSettings } from "../../src/cli/mesh-setup.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mesh-settings-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function read(settings: unknown): Promise<unknown> {
  const file = join(folder, "settings.json");
  await writeFile(file, JSON.stringify(settings));
  return (await readSettings(file)).unsafeWithoutSandbox;
}

it("lets nobody build without a sandbox unless it is said who", async () => {
  expect((await readSettings(join(folder, "none.json"))).unsafeWithoutSandbox).toBe(false);
  expect(await read({})).toBe(false);
  expect(await read({ unsafeWithoutSandbox: ["examples"] })).toEqual(["examples"]);
  expect(await read({ unsafeWithoutSandbox: true })).toBe(true);
  for (const wrong of ["examples", ["../x"], [1], null])
    await expect(read({ unsafeWithoutSandbox: wrong })).rejects.toThrow(InputError);
});
