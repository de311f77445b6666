import { chmod, copyFile, cp, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import pino from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openMeshConnection } from "../../src/cli/mesh-connection.ts";
import { meshPaths } from "../../src/cli/mesh-setup.ts";
import { listConditions } from "../../src/store/conditions.ts";
import { openTrust, type Trust } from "../../src/worker/trust.ts";
import { watchKeys } from "../../src/worker/watch-keys.ts";
import { DAY } from "../link/support/fixtures.ts";
import { mesh, until } from "../store/open-records.ts";
import { openCommandBed, type CommandBed } from "./command-bed.ts";
import { runMesh, type Ran } from "./fake-context.ts";

let bed: CommandBed;
/** Of a controller with least rights: without the owner's address, and without root keys. */
let controller = "";
let rootKey = "";
let laterMs = 0;
const nowMs = (): number => Date.now() + laterMs;

beforeEach(async () => {
  bed = await openCommandBed();
  laterMs = 0;
  const stick = join(bed.state, "stick");
  await mkdir(stick);
  expect((await bed.run("keys", "init", "--out", stick, "--mesh", mesh)).code).toBe(0);
  rootKey = join(stick, String((await readdir(stick))[0]));
  controller = join(bed.state, "controller");
  await cp(join(bed.state, "keys"), join(controller, "keys"), { recursive: true });
  await cp(join(bed.state, "secrets"), join(controller, "secrets"), { recursive: true });
  await copyFile(join(bed.state, "mesh.json"), join(controller, "mesh.json"));
});
afterEach(() => bed.close());

/** In the controller's folder, where no records are reached. */
const there = (...argv: string[]): Promise<Ran> => runMesh(argv, { env: { MESH_STATE: controller } });
const conditions = () => listConditions(bed.records.db, mesh);
const draftIn = (state: string): string => join(state, "keys", "root-2.draft");

async function sign(draft: string): Promise<void> {
  const ran = await bed.run("keys", "root", "sign", draft, "--key", rootKey);
  expect(ran.code, ran.stderr).toBe(0);
}

async function whileControllerRuns(use: (trust: Trust) => Promise<void>): Promise<void> {
  const { declarationKey, provenanceKey, rootDocument } = meshPaths(controller);
  const keys = { declarationKeyFile: declarationKey, provenanceKeyFile: provenanceKey, rootFile: rootDocument };
  const trust = await openTrust({ mesh, keys, nowMs });
  const db = bed.records.as("controller");
  const watch = watchKeys({ db, mesh, trust, log: pino({ level: "silent" }), nowMs, everyMs: 10 });
  try {
    await use(trust);
  } finally {
    await watch.stop();
  }
}

describe("the declaration key of a controller with a folder of its own (R33)", { timeout: 60_000 }, () => {
  it("made in the owner's folder: the file to copy is said before and after, and as a condition until it is there", async () => {
    await whileControllerRuns(async (trust) => {
      const rotated = await bed.run("keys", "rotate", "declaration");
      const [, file = ""] = /controller has a folder of its own: copy (\S+) to its secrets/.exec(rotated.stdout) ?? [];
      expect(basename(file)).toMatch(/^declaration-key-[0-9a-f]{16}\.pem$/);
      await sign(draftIn(bed.state));
      const published = await bed.run("keys", "root", "publish", draftIn(bed.state));
      expect(published).toMatchObject({ code: 0, stdout: expect.stringContaining(`copy ${file} to its secrets/`) });
      const open = await until(async () => (await conditions())[0] ?? false);
      expect(open).toMatchObject({ code: "newest-key-elsewhere", subject: "declaration", urgent: false });
      // A week before the key that it signs with ends.
      laterMs = 25 * DAY;
      await until(async () => (await conditions())[0]?.urgent === true);
      laterMs = 31 * DAY;
      const over = await until(async () => (await conditions()).find(({ code }) => code === "no-signing-key") ?? false);
      const [, wanted = ""] = /to (\S+) \(chmod 600\)/.exec(over.remedy) ?? [];
      expect(wanted).toBe(join(controller, "secrets", basename(file)));
      await copyFile(file, wanted);
      await chmod(wanted, 0o600);
      await until(async () => (await conditions()).length === 0);
      expect(trust.signingKey("declaration").keyId).toContain(/-([0-9a-f]{16})\.pem$/.exec(file)?.[1]);
    });
  });

  it("made where the controller is, with the one before revoked: it is published from where the records are, and signs at once", async () => {
    await whileControllerRuns(async (trust) => {
      const { keyId } = trust.signingKey("declaration");
      expect((await there("keys", "rotate", "declaration", "--revoke", keyId)).code).toBe(1);
      await sign(draftIn(controller));
      const refused = await bed.run("keys", "root", "publish", draftIn(controller));
      expect([refused.code, refused.stderr]).toEqual([
        2,
        expect.stringMatching(/could send nothing.*--key-elsewhere/s),
      ]);
      expect(await bed.run("keys", "root", "publish", draftIn(controller), "--key-elsewhere")).toMatchObject({
        code: 0,
      });
      await until(async () => trust.root.version === 2);
      expect(trust.signingKey("declaration").keyId).not.toBe(keyId);
      expect(await conditions()).toEqual([]);
    });
  });

  it("its folder does not say how the records are reached, and that is said", async () => {
    await writeFile(
      join(controller, "mesh.json"),
      JSON.stringify({
        schema: 1,
        mesh,
        temporal: { address: "127.0.0.1:1", namespace: "default", ui: null },
        gateway: { host: "127.0.0.1", port: 7443 },
      }),
    );
    await rm(meshPaths(controller).databaseUrl, { force: true });
    const ran = await runMesh(["keys", "root", "publish", join(controller, "keys", "root.dsse")], {
      env: { MESH_STATE: controller },
      openMesh: openMeshConnection,
    });
    expect([ran.code, ran.stderr]).toEqual([3, expect.stringMatching(/database-url is not there.*--state/s)]);
  });
});
