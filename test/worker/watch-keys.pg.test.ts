import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generateSigningKey, saveSigningKey, type SigningKey } from "../../src/link/keys.ts";
import { createRoot, type Root } from "../../src/link/root.ts";
import { listConditions } from "../../src/store/conditions.ts";
import { keepRoot, listRootsAfter } from "../../src/store/roots.ts";
import { openTrust } from "../../src/worker/trust.ts";
import { watchKeys } from "../../src/worker/watch-keys.ts";
import { DAY, isoAt, REFERENCE } from "../link/support/fixtures.ts";
import { mesh, openRecords, until, type Records } from "../store/open-records.ts";

let records: Records;
let folder = "";
const [rootKey, first, second, provenance] = Array.from({ length: 4 }, generateSigningKey) as [
  SigningKey,
  SigningKey,
  SigningKey,
  SigningKey,
];

beforeAll(async () => {
  records = await openRecords();
  folder = await mkdtemp(join(tmpdir(), "mesh-trust-"));
});
afterAll(() => records.close());

const listed = (key: SigningKey, role: Root["keys"][number]["roles"][number], days: number) => ({
  publicKey: key.publicKey,
  roles: [role],
  notBefore: isoAt(REFERENCE - DAY),
  notAfter: isoAt(REFERENCE + days * DAY),
});

function rootOf(version: number, declaration: Root["keys"]): Buffer {
  const keys = [listed(rootKey, "root", 400), listed(provenance, "provenance", 400), ...declaration];
  return createRoot({ schema: 1, mesh, version, threshold: 1, keys }, [rootKey]);
}

const codes = async (): Promise<string[]> => (await listConditions(records.db, mesh)).map(({ code }) => code);
const become = (wanted: readonly string[]) =>
  until(async () => JSON.stringify(await codes()) === JSON.stringify(wanted));

describe("the keys of a controller that runs (R33)", () => {
  it("are said when they end soon, when they cannot sign, when a root is not vouched for; and unsaid", async () => {
    const keys = {
      declarationKeyFile: join(folder, "declaration-key.pem"),
      provenanceKeyFile: join(folder, "provenance-key.pem"),
      rootFile: join(folder, "root.dsse"),
    };
    await saveSigningKey(keys.declarationKeyFile, first);
    await saveSigningKey(keys.provenanceKeyFile, provenance);
    await writeFile(keys.rootFile, rootOf(1, [listed(first, "declaration", 20)]));
    const trust = await openTrust({ mesh, keys, nowMs: () => REFERENCE });
    // With the rights that a controller has, and no others (R41).
    const db = records.as("controller");
    const watch = watchKeys({ db, mesh, trust, log: pino({ level: "silent" }), nowMs: () => REFERENCE, everyMs: 10 });
    try {
      await become(["key-expires-soon"]);
      // Root 2 lists another key; its private half is not here yet.
      await keepRoot(records.db, mesh, { version: 2, envelope: rootOf(2, [listed(second, "declaration", 400)]) });
      await become(["no-signing-key"]);
      expect(() => trust.signingKey("declaration")).toThrow(/root 2 lists no declaration key/);
      await saveSigningKey(join(folder, `declaration-key-${second.keyId}.pem`), second);
      await become([]);
      expect(trust.builderKey.keyId).toBe(provenance.keyId);
      expect(trust.signingKey("declaration").keyId).toBe(second.keyId);
      // Somebody with the database, and without the root key.
      const stranger = generateSigningKey();
      const keysOfHis = [listed(stranger, "root", 400)];
      const forged = createRoot({ schema: 1, mesh, version: 3, threshold: 1, keys: keysOfHis }, [stranger]);
      await keepRoot(records.db, mesh, { version: 3, envelope: forged });
      await become(["root-refused"]);
      expect(trust.root.version).toBe(2);
      await records.db.query(`delete from root_document where version = 3`);
      await become([]);
    } finally {
      await watch.stop();
    }
  });

  it("puts back every root that the records lost, and says what it cannot put back", async () => {
    const own = await openRecords();
    const place = await mkdtemp(join(tmpdir(), "mesh-gap-"));
    const keys = {
      declarationKeyFile: join(place, "declaration-key.pem"),
      provenanceKeyFile: join(place, "provenance-key.pem"),
      rootFile: join(place, "root.dsse"),
    };
    await saveSigningKey(keys.declarationKeyFile, first);
    await saveSigningKey(keys.provenanceKeyFile, provenance);
    const roots = [1, 2, 3, 4, 5].map((version) => rootOf(version, [listed(first, "declaration", 400)]));
    for (const [at, envelope] of roots.entries()) await keepRoot(own.db, mesh, { version: at + 1, envelope });
    // A controller from before there was a folder of roots.
    await writeFile(keys.rootFile, String(roots[4]));
    const trust = await openTrust({ mesh, keys, nowMs: () => REFERENCE });
    const db = own.as("controller");
    const watch = watchKeys({ db, mesh, trust, log: pino({ level: "silent" }), nowMs: () => REFERENCE, everyMs: 10 });
    const fileOf = (version: number): string => join(place, "roots", `${version}.dsse`);
    const rootsThere = async () => (await listRootsAfter(own.db, mesh, 0)).map(({ envelope }) => String(envelope));
    const openOnes = async () => (await listConditions(own.db, mesh)).map(({ code, subject }) => [code, subject]);
    const lose = (...versions: number[]) =>
      own.db.query(`delete from root_document where version = any($1::bigint[])`, [versions]);
    try {
      await until(async () => (await readdir(join(place, "roots")).catch(() => [])).length === 5);
      expect(String(await readFile(fileOf(4)))).toBe(String(roots[3]));
      // Records of root 3 were put in their place.
      await lose(4, 5);
      await until(async () => (await rootsThere()).length === 5);
      await lose(2, 3);
      await until(async () => (await rootsThere()).length === 5);
      expect(await rootsThere()).toEqual(roots.map(String));
      expect(await openOnes()).toEqual([]);
      // A file that is none, or another's: nothing is put back for it, and it is said.
      await writeFile(fileOf(4), String(roots[2]));
      await lose(4);
      await until(async () => JSON.stringify(await openOnes()) === JSON.stringify([["root-gap", "root 4"]]));
      expect((await listConditions(own.db, mesh))[0]?.message).toMatch(
        /root 4 is not in the records, root 5 is: a host that has root 3 cannot go on \(.*it is root 3\)/,
      );
      await rm(fileOf(4));
      await keepRoot(own.db, mesh, { version: 4, envelope: roots[3] ?? Buffer.alloc(0) });
      await until(async () => (await openOnes()).length === 0);
      expect(trust.root.version).toBe(5);
    } finally {
      await watch.stop();
      await own.close();
    }
  });

  it("does not take a root that is missing below a newer one for a false one, and goes on when it is there", async () => {
    const own = await openRecords();
    const place = await mkdtemp(join(tmpdir(), "mesh-behind-"));
    const keys = {
      declarationKeyFile: join(place, "declaration-key.pem"),
      provenanceKeyFile: join(place, "provenance-key.pem"),
      rootFile: join(place, "root.dsse"),
    };
    const roots = [1, 2, 3].map((version) => rootOf(version, [listed(first, "declaration", 400)]));
    const [one = "", two = "", three = ""] = roots;
    await writeFile(keys.rootFile, one);
    await keepRoot(own.db, mesh, { version: 3, envelope: Buffer.from(three) });
    try {
      const trust = await openTrust({ mesh, keys, nowMs: () => REFERENCE });
      expect(await trust.refresh(own.db)).toMatchObject({ refused: null, gaps: [{ from: 2, to: 2 }] });
      expect(trust.root.version).toBe(1);
      await keepRoot(own.db, mesh, { version: 2, envelope: Buffer.from(two) });
      expect(await trust.refresh(own.db)).toEqual({ refused: null, gaps: [] });
      expect(trust.root.version).toBe(3);
      // Older records in their place, and a controller whose own root file is as old: the folder of roots is newer.
      await trust.saveRoots(own.db);
      await own.db.query(`delete from root_document where version > 1`);
      const again = await openTrust({ mesh, keys, nowMs: () => REFERENCE });
      expect(await again.refresh(own.db)).toEqual({ refused: null, gaps: [] });
      expect(again.root.version).toBe(3);
      expect((await listRootsAfter(own.db, mesh, 0)).map(({ version }) => version)).toEqual([1, 2, 3]);
      // A file that root 3 does not vouch for is said, and gets nowhere.
      await writeFile(join(place, "roots", "4.dsse"), two);
      expect((await again.refresh(own.db)).refused?.message).toMatch(/root 4 in .*roots is refused: it is root 2/);
      expect((await listRootsAfter(own.db, mesh, 3)).length).toBe(0);
    } finally {
      await own.close();
    }
  });
});
