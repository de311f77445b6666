import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { keepProvenanceKey } from "../../src/cli/keep-provenance-key.ts";
import { generateSigningKey, loadSigningKey, saveSigningKey } from "../../src/link/keys.ts";
import { createRoot, keysAt, verifyRoot, type Root } from "../../src/link/root.ts";
import { rootFolderOf, saveRootFile } from "../../src/worker/root-folder.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const nowMs = Date.parse("2026-03-01T12:00:00.000Z");
const life = { notBefore: "2026-01-01T00:00:00.000Z", notAfter: "2036-01-01T00:00:00.000Z" };

/** The keys of a mesh from before there was a builder's key. */
async function openOldMesh() {
  const folder = await createTemporaryFolder();
  const paths = {
    provenanceKey: join(folder, "provenance-key.pem"),
    rootKey: join(folder, "root-key.pem"),
    rootDocument: join(folder, "root.dsse"),
  };
  const [rootKey, declarationKey] = [generateSigningKey(), generateSigningKey()];
  await saveSigningKey(paths.rootKey, rootKey);
  const keys: Root["keys"] = [
    { publicKey: rootKey.publicKey, roles: ["root"], ...life },
    { publicKey: declarationKey.publicKey, roles: ["declaration"], ...life },
  ];
  await writeFile(
    paths.rootDocument,
    createRoot({ schema: 1, mesh: "demo", version: 1, threshold: 1, keys }, [rootKey]),
  );
  const said: string[] = [];
  return {
    paths,
    said,
    declarationKey,
    start: () => keepProvenanceKey({ mesh: "demo", paths, nowMs, say: (line) => said.push(line) }),
    readRoot: async () => {
      const verified = verifyRoot(await readFile(paths.rootDocument), { mesh: "demo" });
      if (!verified.ok) throw new Error(verified.message);
      return verified.root;
    },
  };
}

describe("the builder's key of a mesh that had none", () => {
  it("is made and listed in the root at the next start, once, and for nothing but provenance (R41)", async () => {
    const old = await openOldMesh();
    await old.start();
    await old.start();
    const root = await old.readRoot();
    const key = await loadSigningKey(old.paths.provenanceKey);
    expect(root.version).toBe(2);
    expect(keysAt(root, "provenance", nowMs).valid).toEqual([key.publicKey]);
    expect(keysAt(root, "declaration", nowMs).valid).toEqual([old.declarationKey.publicKey]);
    expect(old.said).toEqual([expect.stringMatching(/is in root 2 now, with the role provenance/)]);
  });

  it("is made anew when it was lost; what the old one signed stays good", async () => {
    const old = await openOldMesh();
    await old.start();
    await rm(old.paths.provenanceKey);
    await old.start();
    expect(keysAt(await old.readRoot(), "provenance", nowMs).valid).toHaveLength(2);
  });

  it("is not brought back where its holders took it out of the root on purpose", async () => {
    const old = await openOldMesh();
    await old.start();
    const key = await loadSigningKey(old.paths.provenanceKey);
    const ended = (await old.readRoot()).keys.map((one) =>
      one.publicKey === key.publicKey ? { ...one, notAfter: "2026-02-01T00:00:00.000Z" } : one,
    );
    const rootKey = await loadSigningKey(old.paths.rootKey);
    const root: Root = { ...(await old.readRoot()), version: 3, keys: ended };
    await writeFile(old.paths.rootDocument, createRoot(root, [rootKey]));
    await old.start();
    expect((await old.readRoot()).version).toBe(3);
  });

  it("is not brought back where a rotation revoked it, though its file is still here", async () => {
    const old = await openOldMesh();
    await old.start();
    const listing = await readFile(old.paths.rootDocument);
    await saveRootFile(rootFolderOf(old.paths.rootDocument), { version: 2, envelope: listing });
    const key = await loadSigningKey(old.paths.provenanceKey);
    const keys = (await old.readRoot()).keys.filter((one) => one.publicKey !== key.publicKey);
    const rootKey = await loadSigningKey(old.paths.rootKey);
    await writeFile(old.paths.rootDocument, createRoot({ ...(await old.readRoot()), version: 3, keys }, [rootKey]));
    await old.start();
    expect((await old.readRoot()).version).toBe(3);
    expect(keysAt(await old.readRoot(), "provenance", nowMs).valid).toEqual([]);
  });

  it("is not listed in a second root of a number that is published already", async () => {
    const old = await openOldMesh();
    const rootKey = await loadSigningKey(old.paths.rootKey);
    const published = createRoot({ ...(await old.readRoot()), version: 2 }, [rootKey]);
    await saveRootFile(rootFolderOf(old.paths.rootDocument), { version: 2, envelope: published });
    await old.start();
    expect((await old.readRoot()).version).toBe(1);
    expect(old.said).toEqual([expect.stringMatching(/is root 1, where root 2 is published: restore the newest one/)]);
  });

  it("is made, and that no root lists it is said, where the root key is kept elsewhere", async () => {
    const old = await openOldMesh();
    await rm(old.paths.rootKey);
    await old.start();
    expect((await old.readRoot()).version).toBe(1);
    expect(old.said).toEqual([expect.stringMatching(/is not in the root document/)]);
  });
});
