import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generateSigningKey, saveSigningKey, type SigningKey } from "../../src/link/keys.ts";
import { createRoot, type Root } from "../../src/link/root.ts";
import { listConditions } from "../../src/store/conditions.ts";
import { keepRoot } from "../../src/store/roots.ts";
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
});
