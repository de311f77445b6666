import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readMeshFile } from "../../../src/cli/mesh-setup.ts";
import { writeMeshFile } from "../../../src/cli/up/write-mesh-file.ts";

const found = {
  temporal: { address: "127.0.0.1:7233", namespace: "default", ui: null },
  databaseRoles: true,
};

it("says it where the gateway has moved: hosts on other machines keep the address that they enrolled with", async () => {
  const folder = await mkdtemp(join(tmpdir(), "mesh-file-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const said: string[] = [];
  const meshFile = join(folder, "mesh.json");
  const write = async (listen: string, gateway: number): Promise<readonly string[]> => {
    said.length = 0;
    const say = (line: string): void => void said.push(line);
    await writeMeshFile({ mesh: "demo", paths: { meshFile }, listen, ports: { gateway }, say }, found);
    expect((await readMeshFile(meshFile)).gateway).toEqual({ host: listen, port: gateway });
    return said;
  };
  expect(await write("127.0.0.1", 21_000)).toEqual([]);
  expect(await write("127.0.0.1", 21_000)).toEqual([]);
  const moved =
    /^the gateway is at https:\/\/10\.0\.0\.5:21000 now, and no more at https:\/\/127\.0\.0\.1:21000: enrol each/;
  expect(await write("10.0.0.5", 21_000)).toEqual([expect.stringMatching(moved)]);
  expect(await write("10.0.0.5", 22_000)).toEqual([expect.stringContaining("no more at https://10.0.0.5:21000")]);
  // What cannot be read says nothing of before, and keeps no start from writing it anew.
  await writeFile(meshFile, "{");
  expect(await write("10.0.0.5", 23_000)).toEqual([]);
});
