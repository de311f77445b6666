import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { saveKeyFile } from "../../src/link/key-file.ts";
import { generateSigningKey } from "../../src/link/keys.ts";
import { openRecovery } from "../../src/link/recovery-envelope.ts";
import { createRoot, type Root, type RootRole } from "../../src/link/root.ts";
import { runMesh, type Ran } from "./fake-context.ts";

const day = 24 * 3_600_000;
const times = {
  notBefore: new Date(Date.now() - day).toISOString(),
  notAfter: new Date(Date.now() + day).toISOString(),
};
const [a, b, c, declaring] = [0, 1, 2, 3].map(() => generateSigningKey()) as [Key, Key, Key, Key];
type Key = ReturnType<typeof generateSigningKey>;
const listed = (key: Key, role: RootRole) => ({ publicKey: key.publicKey, roles: [role], ...times });
const root: Root = {
  schema: 1,
  mesh: "demo",
  version: 1,
  threshold: 2,
  keys: [...[a, b, c].map((key) => listed(key, "root")), listed(declaring, "declaration")],
};

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mesh-recovery-"));
  await writeFile(join(folder, "pass.txt"), "a long passphrase\n", { mode: 0o600 });
  // Slow to make, by design.
  await saveKeyFile(join(folder, "a.age"), a, "a long passphrase");
  await saveKeyFile(join(folder, "b.pem"), b, null);
  await saveKeyFile(join(folder, "c.pem"), c, null);
  await saveKeyFile(join(folder, "declaring.pem"), declaring, null);
}, 60_000);
beforeEach(async () => {
  await rm(join(folder, "node-a.dsse"), { force: true });
  await writeFile(join(folder, "root.dsse"), createRoot(root, [a, b]));
});
afterAll(() => rm(folder, { recursive: true }));

const mesh = (...words: readonly string[]): Promise<Ran> =>
  runMesh(["keys", "recovery", "node-a.dsse", "--current", "root.dsse", ...words], { cwd: folder });
const about = ["--node", "node-a", "--incarnation", "45ce8fd3452264e8", "--replaces", "900001.7", "--to", "3.41"];
const open = async () => openRecovery(await readFile(join(folder, "node-a.dsse")), { root, nowMs: Date.now() });

describe("mesh keys recovery: without a mesh, from hand to hand", { timeout: 60_000 }, () => {
  it("makes the document, and has it signed by two of three, one after the other", async () => {
    const made = await mesh(...about, "--days", "3", "--key", "a.age", "--passphrase-file", "pass.txt");
    expect(made).toMatchObject({ code: 1, opened: false });
    expect(made.stdout).toContain("from 900001.7 back to 3.41");
    expect(made.stdout).toContain("1 more of the root keys of root 1 must sign it");
    expect((await open()).ok).toBe(false);
    expect((await mesh()).code).toBe(1);
    expect((await mesh("--key", "b.pem")).code).toBe(0);
    expect(await open()).toMatchObject({
      ok: true,
      recovery: { node: "node-a", replaces: { epoch: 900_001, number: 7 }, to: { epoch: 3, number: 41 } },
    });
    const shown = await mesh("--json");
    expect(JSON.parse(shown.stdout)).toMatchObject({
      schema: "mesh.keys-recovery.v1",
      signedBy: [a.keyId, b.keyId],
      missing: 0,
    });
  });

  it("is signed by several at once", async () => {
    expect((await mesh(...about, "--key", "b.pem", "c.pem")).code).toBe(0);
    expect((await open()).ok).toBe(true);
  });

  it.each<[string, readonly string[], string]>([
    ["words that are missing", about.slice(0, 4), "is missing: --replaces, --to"],
    ["a mark that is no lower", [...about.slice(0, 6), "--to", "900001.7"], "not below"],
    ["an order that is none", [...about.slice(0, 6), "--to", "3"], "--to takes EPOCH.NUMBER"],
    ["too many days", [...about, "--days", "32"], "--days takes a number from 1 to 31"],
    ["a name that is none", ["--node", "../x", ...about.slice(2)], "node name"],
    ["a key of another role", [...about, "--key", "declaring.pem"], "another role (declaration)"],
    ["an encrypted key without its passphrase", [...about, "--key", "a.age"], "is encrypted"],
  ])("refuses %s, and writes nothing", async (_name, words, why) => {
    expect(await mesh(...words)).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
    await expect(readFile(join(folder, "node-a.dsse"))).rejects.toThrow("ENOENT");
  });

  it("changes no document that is there, and signs none of another kind or mesh", async () => {
    await mesh(...about, "--key", "b.pem");
    const before = await readFile(join(folder, "node-a.dsse"));
    expect(await mesh("--to", "3.42", "--key", "c.pem")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("is there already"),
    });
    const other = createRoot({ ...root, mesh: "other" }, [a, b]);
    await writeFile(join(folder, "root.dsse"), other);
    expect(await mesh("--key", "c.pem")).toMatchObject({ code: 2, stderr: expect.stringContaining("for mesh demo") });
    expect(await readFile(join(folder, "node-a.dsse"))).toEqual(before);
    await writeFile(join(folder, "node-a.dsse"), other);
    expect(await mesh("--key", "c.pem")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("this is no recovery document"),
    });
  });
});
