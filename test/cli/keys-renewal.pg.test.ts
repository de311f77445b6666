import { copyFile, cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pino from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { meshPaths } from "../../src/cli/mesh-setup.ts";
import { rootKeysOf, verifyRoot, type Root } from "../../src/link/root.ts";
import { listConditions } from "../../src/store/conditions.ts";
import { openTrust } from "../../src/worker/trust.ts";
import { watchKeys } from "../../src/worker/watch-keys.ts";
import { DAY } from "../link/support/fixtures.ts";
import { mesh, until } from "../store/open-records.ts";
import { openCommandBed, type CommandBed } from "./command-bed.ts";
import { runMesh, type Ran } from "./fake-context.ts";

let bed: CommandBed;
let stick = "";
let laterMs = 0;

beforeEach(async () => {
  bed = await openCommandBed();
  stick = join(bed.state, "stick");
  laterMs = 0;
  await mkdir(stick);
});
afterEach(() => bed.close());

const nowMs = () => Date.now() + laterMs;
const meshHere = (...argv: string[]): Promise<Ran> => meshIn(bed.state, ...argv);
/** In a state folder, at the time that it is in the test. */
const meshIn = (state: string, ...argv: string[]): Promise<Ran> =>
  runMesh(argv, { env: { MESH_STATE: state }, openMesh: bed.connect, now: new Date(nowMs()) });
const draftOf = (version: number): string => join(bed.state, "keys", `root-${version}.draft`);

async function readRoot(): Promise<Root> {
  const verified = verifyRoot(await readFile(meshPaths(bed.state).rootDocument), { mesh });
  if (!verified.ok) throw new Error(verified.message);
  return verified.root;
}

async function signAndPublish(version: number, signers: number): Promise<void> {
  for (const name of (await readdir(stick)).toSorted().slice(0, signers))
    expect((await meshHere("keys", "root", "sign", draftOf(version), "--key", join(stick, name))).code).toBeLessThan(2);
  expect(await meshHere("keys", "root", "publish", draftOf(version))).toMatchObject({ code: 0 });
}

async function init(keys: number, threshold: number): Promise<void> {
  const counts = ["--root-keys", String(keys), "--threshold", String(threshold)];
  expect((await meshHere("keys", "init", ...counts, "--out", stick, "--mesh", mesh)).code).toBe(0);
}

/** A controller of this folder while `use` is under way. */
async function whileWatched(
  use: (conditions: () => Promise<readonly { remedy: string; code: string }[]>) => Promise<void>,
) {
  const { declarationKey, provenanceKey, rootDocument } = meshPaths(bed.state);
  const keys = { declarationKeyFile: declarationKey, provenanceKeyFile: provenanceKey, rootFile: rootDocument };
  const trust = await openTrust({ mesh, keys, nowMs });
  const db = bed.records.as("controller");
  const watch = watchKeys({ db, mesh, trust, log: pino({ level: "silent" }), nowMs, everyMs: 10 });
  try {
    await use(() => listConditions(bed.records.db, mesh));
  } finally {
    await watch.stop();
  }
}

const wordsOf = (remedy: string): string[] => remedy.replace(/^mesh /, "").split(" ");

describe("a root that expires (R33)", { timeout: 60_000 }, () => {
  it.each([
    ["one root key", 1, 1],
    ["two of three root keys must sign", 3, 2],
  ])(
    "is renewed by what the condition says, typed as told, and keeps its root keys: %s",
    async (_what, count, threshold) => {
      await init(count, threshold);
      expect((await meshHere(..."keys rotate root --keep all --root-keys 0 --expires-days 40".split(" "))).code).toBe(
        1,
      );
      await signAndPublish(2, threshold);
      const keys = rootKeysOf(await readRoot());
      expect(keys).toHaveLength(count);
      laterMs = 20 * DAY;
      await whileWatched(async (conditions) => {
        const { remedy } = await until(async () => (await conditions())[0] ?? false);
        expect((await meshHere(...wordsOf(remedy))).code).toBe(1);
        await signAndPublish(3, threshold);
        await until(async () => (await conditions()).length === 0);
      });
      expect(rootKeysOf(await readRoot())).toEqual(keys);
      expect((await meshHere("keys", "show")).code).toBe(0);
    },
  );

  it("that has ended is renewed the same way; no rotation writes, and nobody publishes, one that has ended already", async () => {
    await init(1, 1);
    await meshHere(..."keys rotate root --keep all --root-keys 0 --expires-days 40".split(" "));
    await signAndPublish(2, 1);
    // Written in time, and signed too late.
    laterMs = 39 * DAY;
    expect((await meshHere("keys", "rotate", "provenance")).code).toBe(1);
    laterMs = 50 * DAY;
    await meshHere("keys", "root", "sign", draftOf(3), "--key", join(stick, String((await readdir(stick))[0])));
    const late = await meshHere("keys", "root", "publish", draftOf(3));
    expect([late.code, late.stderr]).toEqual([
      2,
      expect.stringMatching(/root 3 expired at .*(rm).*mesh keys rotate root/s),
    ]);
    await copyFile(draftOf(3), join(bed.state, "late"));
    const out = join(bed.state, "other");
    const again = await meshHere("keys", "rotate", "declaration", "--out", out);
    expect([again.code, again.stderr]).toEqual([
      2,
      expect.stringMatching(/would have expired already.*--expires-days/s),
    ]);
    const before = await readdir(meshPaths(bed.state).secrets);
    const words = /mesh (keys rotate root[^\n]*)/.exec(late.stderr)?.[1]?.split(" ") ?? [];
    expect((await meshHere(...words, "--out", out)).code).toBe(1);
    expect(await readdir(meshPaths(bed.state).secrets)).toEqual(before);
    await meshHere("keys", "root", "sign", out, "--key", join(stick, String((await readdir(stick))[0])));
    expect(await meshHere("keys", "root", "publish", out)).toMatchObject({ code: 0 });
    await whileWatched(async (conditions) => {
      await until(async () => (await conditions()).length === 0);
    });
  });
});

describe("root keys that end (R33)", { timeout: 60_000 }, () => {
  it("are replaced by as many, by what the condition says, also where two must sign", async () => {
    const words = ["--root-keys", "3", "--threshold", "2", "--root-days", "40"];
    expect((await meshHere("keys", "init", ...words, "--out", stick, "--mesh", mesh)).code).toBe(0);
    laterMs = 20 * DAY;
    await whileWatched(async (conditions) => {
      const { remedy } = await until(async () => (await conditions())[0] ?? false);
      expect((await meshHere(...wordsOf(remedy))).code).toBe(1);
      await signAndPublish(2, 2);
      await until(async () => (await conditions()).length === 0);
    });
    expect(await readRoot()).toMatchObject({ version: 2, threshold: 2 });
  });
});

describe("a folder that is behind the mesh", { timeout: 60_000 }, () => {
  it("rotates from the newest root that its controller has put into keys/roots", async () => {
    await init(1, 1);
    await meshHere("keys", "rotate", "provenance");
    const first = await readFile(meshPaths(bed.state).rootDocument);
    await signAndPublish(2, 1);
    const other = join(bed.state, "controller");
    await cp(join(bed.state, "keys", "roots"), join(other, "keys", "roots"), { recursive: true });
    await mkdir(join(other, "secrets"), { mode: 0o700 });
    await copyFile(join(bed.state, "mesh.json"), join(other, "mesh.json"));
    await writeFile(join(other, "keys", "root.dsse"), first);
    const ran = await meshIn(other, "keys", "rotate", "declaration");
    expect(ran.stdout).toContain("root 3 of mesh");
    expect(ran.stdout).toContain(`--current ${join(other, "keys", "roots", "2.dsse")}`);
    expect((await meshIn(other, "keys", "show")).stdout).toContain("root 2 of mesh");
  });

  it("is told once that its draft is too old, and drafts the next one then", async () => {
    await init(1, 1);
    const first = await readFile(meshPaths(bed.state).rootDocument);
    await meshHere("keys", "rotate", "provenance");
    await signAndPublish(2, 1);
    const other = join(bed.state, "another");
    await mkdir(join(other, "keys"), { recursive: true });
    await mkdir(join(other, "secrets"), { mode: 0o700 });
    await copyFile(join(bed.state, "mesh.json"), join(other, "mesh.json"));
    await writeFile(join(other, "keys", "root.dsse"), first);
    const connect = async (state?: string, as?: Parameters<CommandBed["connect"]>[1]) => {
      const connection = await bed.connect(state, as);
      return { ...connection, state: other, paths: meshPaths(other) };
    };
    const here = (...argv: string[]) => runMesh(argv, { env: { MESH_STATE: other }, openMesh: connect });
    await here("keys", "rotate", "declaration");
    const key = join(stick, String((await readdir(stick))[0]));
    await here("keys", "root", "sign", join(other, "keys", "root-2.draft"), "--key", key);
    const old = await here("keys", "root", "publish", join(other, "keys", "root-2.draft"));
    expect([old.code, old.stderr]).toEqual([2, expect.stringMatching(/mesh keys rotate writes root 3/)]);
    expect((await here("keys", "rotate", "declaration")).stdout).toContain("root 3 of mesh");
  });
});
