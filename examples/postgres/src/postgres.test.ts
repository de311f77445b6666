import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { prepareCluster } from "./cluster.ts";
import { clusterFolder, passwordFile, readSettings, serverArguments, type Settings } from "./settings.ts";

/** Stands for initdb: makes the folder it is told to, or fails after beginning. */
const initdb = `#!/bin/sh
for word in "$@"; do case "$word" in --pgdata=*) folder="\${word#--pgdata=}";; esac; done
mkdir "$folder" || exit 1
[ -e "$(dirname "$0")/fail" ] && { echo "no space left" >&2; exit 1; }
echo 15 > "$folder/PG_VERSION"
`;

async function withFolders(use: (settings: Settings) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "postgres-module-"));
  try {
    const settings = { binDir: join(folder, "bin"), data: join(folder, "data"), port: 5433, listen: "127.0.0.1" };
    await mkdir(settings.binDir);
    await mkdir(settings.data);
    await writeFile(join(settings.binDir, "initdb"), initdb);
    await chmod(join(settings.binDir, "initdb"), 0o755);
    await use(settings);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("the first start makes the cluster and a password that only this user reads", async () => {
  await withFolders(async (settings) => {
    await prepareCluster(settings, () => {});
    assert.equal(await readFile(join(clusterFolder(settings), "PG_VERSION"), "utf8"), "15\n");
    assert.equal((await stat(passwordFile(settings))).mode & 0o777, 0o600);
    assert.ok((await readFile(passwordFile(settings), "utf8")).trim().length >= 32);
  });
});

test("a second start keeps the cluster and the password", async () => {
  await withFolders(async (settings) => {
    await prepareCluster(settings, () => {});
    const password = await readFile(passwordFile(settings), "utf8");
    await writeFile(join(settings.binDir, "fail"), "");
    await prepareCluster(settings, () => {});
    assert.equal(await readFile(passwordFile(settings), "utf8"), password);
  });
});

test("a first start that broke half way is completed by the next", async () => {
  await withFolders(async (settings) => {
    await writeFile(join(settings.binDir, "fail"), "");
    await assert.rejects(
      prepareCluster(settings, () => {}),
      /no space left/,
    );
    const password = await readFile(passwordFile(settings), "utf8");
    await rm(join(settings.binDir, "fail"));
    await prepareCluster(settings, () => {});
    assert.deepEqual((await readdir(settings.data)).toSorted(), ["admin-password", "cluster"]);
    assert.equal(await readFile(passwordFile(settings), "utf8"), password);
  });
});

test("what is missing is said by name", () => {
  assert.throws(() => readSettings({ MESH_DATA: "/d", POSTGRES_PORT: "1" }), /POSTGRES_BIN is not set/);
  assert.throws(() => readSettings({ MESH_DATA: "/d", POSTGRES_BIN: "/b", POSTGRES_PORT: "0" }), /not a port/);
  assert.throws(() => readSettings({ MESH_DATA: "/d", POSTGRES_BIN: "b", POSTGRES_PORT: "1" }), /absolute/);
});

test("it listens where it is told, and on no socket file", () => {
  const words = serverArguments({ binDir: "/b", data: "/d", port: 5433, listen: "127.0.0.1" });
  assert.ok(words.includes("listen_addresses=127.0.0.1"));
  assert.ok(words.includes("unix_socket_directories="));
});
