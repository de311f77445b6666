import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { meshPaths } from "../../../src/cli/mesh-setup.ts";
import { readControllerMarks } from "../../../src/cli/up/child-marks.ts";

async function createState() {
  const root = await mkdtemp(join(tmpdir(), "mesh-marks-"));
  onTestFinished(() => rm(root, { recursive: true }));
  const paths = meshPaths(root);
  const write = async (file: string, text: string): Promise<void> => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { mode: 0o600 });
  };
  await write(paths.meshFile, "{}");
  await write(paths.declarationKey, "a key");
  return { paths, write };
}

it("knows a controller that read other settings, webhooks, keys or logins than are there now (R50)", async () => {
  const { paths, write } = await createState();
  const read = (env: NodeJS.ProcessEnv = {}) => readControllerMarks({ paths, env });
  const seen = [await read()];
  expect(await read()).toEqual(seen[0]);
  const files = [
    paths.settings,
    paths.webhooks,
    paths.rootDocument,
    paths.databaseUrl,
    paths.loginAddresses.gateway,
    paths.meshFile,
    paths.declarationKey,
    paths.provenanceKey,
  ];
  for (const file of files) {
    await write(file, "changed");
    const now = await read();
    expect(now).toEqual(await read());
    expect(seen, file).not.toContainEqual(now);
    seen.push(now);
  }
  expect(seen).not.toContainEqual(await read({ TEMPORAL_API_KEY: "renewed" }));
  expect(await read({ TERM: "xterm" })).toEqual(seen.at(-1));
  // A controller takes these up while it runs.
  for (const file of [paths.gatewayCertificate, paths.gatewayKey, paths.authority]) await write(file, "renewed");
  expect(await read()).toEqual(seen.at(-1));
  // What was read is another thing than who read it.
  expect(new Set(seen.map(({ code }) => code)).size).toBe(1);
});

it("does not take one text's end for the next one's beginning", async () => {
  const { paths, write } = await createState();
  await write(paths.settings, "ab");
  await write(paths.rootDocument, "c");
  const before = await readControllerMarks({ paths, env: {} });
  await write(paths.settings, "a");
  await write(paths.rootDocument, "bc");
  expect(await readControllerMarks({ paths, env: {} })).not.toEqual(before);
});
