import { existsSync } from "node:fs";
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { meshPaths } from "../../src/cli/mesh-setup.ts";
import { generateSigningKey, keyIdOf, saveSigningKey } from "../../src/link/keys.ts";
import { keysAt, verifyRoot, type Root } from "../../src/link/root.ts";
import { getRoot } from "../../src/store/roots.ts";
import { openTrust } from "../../src/worker/trust.ts";
import { mesh } from "../store/open-records.ts";
import { openCommandBed, type CommandBed } from "./command-bed.ts";
import type { Ran } from "./fake-context.ts";

let bed: CommandBed;
let stick = "";

beforeEach(async () => {
  bed = await openCommandBed();
  stick = join(bed.state, "stick");
  await mkdir(stick);
});
afterEach(() => bed.close());

const paths = () => meshPaths(bed.state);
const draftOf = (version: number): string => join(bed.state, "keys", `root-${version}.draft`);

/** Three root keys, two of which must sign, taken to a stick. */
async function init(...more: string[]): Promise<readonly string[]> {
  const words = ["--root-keys", "3", "--threshold", "2", "--out", stick, "--mesh", mesh, ...more];
  expect((await bed.run("keys", "init", ...words)).code).toBe(0);
  return (await readdir(stick)).toSorted().map((name) => join(stick, name));
}

async function readRoot(): Promise<Root> {
  const verified = verifyRoot(await readFile(paths().rootDocument), { mesh });
  if (!verified.ok) throw new Error(verified.message);
  return verified.root;
}

const sign = (version: number, key: string | undefined, ...more: string[]): Promise<Ran> =>
  bed.run("keys", "root", "sign", draftOf(version), "--key", String(key), ...more);

describe("root keys apart from the mesh", () => {
  it("are made, each in a file of its own, with words that say to take them away", async () => {
    const ran = await bed.run("keys", "init", "--root-keys", "3", "--threshold", "2", "--out", stick, "--mesh", mesh);
    expect(ran.stdout).toContain("TAKE THEM OFF THIS MACHINE");
    const names = await readdir(stick);
    expect(names).toHaveLength(3);
    for (const name of names) expect((await stat(join(stick, name))).mode & 0o777).toBe(0o600);
    expect(existsSync(paths().rootKey)).toBe(false);
    expect(await readRoot()).toMatchObject({ version: 1, threshold: 2 });
    // A second one would make a mesh that no host believes.
    expect(await bed.run("keys", "init")).toMatchObject({ code: 2, stderr: expect.stringContaining("has a root") });
  });

  it("of two that make them at once one is refused, and what an earlier one left on the stick is named", async () => {
    const left = join(stick, "root-key-0123456789abcdef.age");
    await writeFile(left, "of a command that was killed");
    const make = () => bed.run("keys", "init", "--root-keys", "2", "--out", stick, "--mesh", mesh);
    const both = await Promise.all([make(), make()]);
    const [made, refused] = both.toSorted((a, b) => a.code - b.code);
    expect(made).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/not of this root \(.*\): .*0123456789abcdef/),
    });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/works on this state folder|has a root/) });
    expect(await readdir(stick)).toHaveLength(3);
    expect((await readRoot()).keys.filter(({ roles }) => roles.includes("root"))).toHaveLength(2);
  });

  it("rotate the declaration key: written here, signed by two elsewhere, published, and signed by without a restart", async () => {
    const keys = await init();
    const trust = await openTrust({
      mesh,
      keys: {
        declarationKeyFile: paths().declarationKey,
        provenanceKeyFile: paths().provenanceKey,
        rootFile: paths().rootDocument,
      },
      nowMs: Date.now,
    });
    const first = trust.signingKey("declaration");
    const rotated = await bed.run("keys", "rotate", "declaration", "--revoke", first.keyId);
    expect(rotated.code).toBe(1);
    expect(rotated.stdout).toContain("2 more of the root keys of root 1 must sign it");
    expect(rotated.stdout).toContain(`- key ${first.keyId} (declaration) is taken out`);
    // Nobody can publish what nobody has signed, and looking at it signs nothing.
    expect(await bed.run("keys", "root", "publish", draftOf(2))).toMatchObject({ code: 2 });
    expect(await bed.run("keys", "root", "sign", draftOf(2))).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("not signed: give --key FILE"),
    });
    // On a machine that has nothing but the draft, the present root and one key.
    const elsewhere = join(bed.state, "elsewhere");
    await mkdir(elsewhere);
    await copyFile(draftOf(2), join(elsewhere, "draft"));
    await copyFile(paths().rootDocument, join(elsewhere, "root.dsse"));
    const words = ["keys", "root", "sign", join(elsewhere, "draft"), "--current", join(elsewhere, "root.dsse")];
    const once = await bed.run(...words, "--key", String(keys[0]));
    expect(once).toMatchObject({ code: 1, stderr: expect.stringContaining("is new: good from") });
    // The same key again is still one.
    expect((await bed.run(...words, "--key", String(keys[0]))).code).toBe(1);
    expect((await bed.run("keys", "root", "publish", join(elsewhere, "draft"))).stderr).toContain(
      "1 good signatures of 2",
    );
    expect((await bed.run(...words, "--key", String(keys[2]))).code).toBe(0);
    expect(await bed.run("keys", "root", "publish", join(elsewhere, "draft"))).toMatchObject({ code: 0 });
    expect(await getRoot(bed.records.db, mesh, 2)).toEqual(await readFile(join(elsewhere, "draft")));
    expect((await readRoot()).version).toBe(2);
    // A controller that has been running all the while.
    expect(trust.signingKey("declaration").keyId).toBe(first.keyId);
    expect(await trust.refresh(bed.records.db)).toEqual({ refused: null, gaps: [] });
    expect(trust.root.version).toBe(2);
    const second = trust.signingKey("declaration");
    expect(keysAt(trust.root, "declaration", Date.now()).valid).toEqual([second.publicKey]);
    // Again is answered as before.
    expect(await bed.run("keys", "root", "publish", join(elsewhere, "draft"))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("published already"),
    });
    const shown = await bed.documentOf("keys", "show");
    expect(shown).toMatchObject({ version: 2, threshold: 2, warnings: [] });
  }, 60_000);

  it("can be encrypted, and open with their passphrase only", async () => {
    const pass = join(bed.state, "pass");
    await writeFile(pass, "correct horse battery\n", { mode: 0o600 });
    const wrong = join(bed.state, "wrong");
    await writeFile(wrong, "another horse battery\n", { mode: 0o600 });
    const short = join(bed.state, "short");
    await writeFile(short, "horse\n", { mode: 0o600 });
    const keys = await init("--passphrase-file", pass);
    expect(await readFile(String(keys[0]), "utf8")).toMatch(/^-----BEGIN AGE ENCRYPTED FILE-----/);
    await bed.run("keys", "rotate", "provenance");
    expect((await sign(2, keys[0])).stderr).toContain("is encrypted");
    expect((await sign(2, keys[0], "--passphrase-file", wrong)).stderr).toContain("does not open with this passphrase");
    expect((await sign(2, keys[0], "--passphrase-file", short)).stderr).toContain("fewer than 12");
    expect((await sign(2, keys[0], "--passphrase-file", pass)).code).toBe(1);
    expect((await sign(2, keys[1], "--passphrase-file", pass)).code).toBe(0);
    // Away from where it is looked for, it is said which file that was, and what lies there under a name of its own.
    const away = await bed.run("keys", "show");
    // The first root key has that name until it is taken away.
    expect(away.stdout).toContain(" or root-key.pem");
    expect(away.stdout).not.toContain("on this machine");
    const name = basename(String(keys[0]));
    expect(away.stdout).toContain(`${name.replace(".age", ".pem")} or ${name}`);
    expect(away.stdout).toContain(`looked for in ${paths().secrets}, ${join(bed.state, "root-keys")} (not there)`);
    const renamed = join(stick, "ada.age");
    await rename(String(keys[0]), renamed);
    const named = await bed.run("keys", "show", "--keys", stick);
    expect(named.stdout).toContain(`that it may be one of them: ${renamed}`);
    await rename(renamed, String(keys[0]));
    const shown = await bed.documentOf("keys", "show", "--keys", stick);
    expect((shown["keys"] as { encrypted: boolean }[]).filter((key) => key.encrypted)).toHaveLength(3);
  }, 120_000);

  it("are replaced by others: the old ones and the new ones sign, and the old ones count no more", async () => {
    const [a, b] = await init();
    const out = join(bed.state, "new");
    const ran = await bed.run("keys", "rotate", "root", "--root-keys", "2", "--threshold", "2", "--keys-out", out);
    expect(ran.stdout).toContain("2 of 2 root keys sign for it, before it was 2 of 3");
    await sign(2, a);
    expect((await sign(2, b)).code).toBe(0);
    expect((await bed.run("keys", "root", "publish", draftOf(2))).code).toBe(0);
    await bed.run("keys", "rotate", "declaration");
    expect((await sign(3, a)).stderr).toContain("is a root key neither of root 2 nor of the new one");
  }, 60_000);

  it("a root whose declaration keys are not here is not published: the controller could send nothing", async () => {
    const [a, b] = await init();
    await bed.run("keys", "rotate", "declaration", "--overlap-days", "0");
    await sign(2, a);
    await sign(2, b);
    for (const name of await readdir(paths().secrets))
      if (name.startsWith("declaration-key-")) await rm(join(paths().secrets, name));
    const later = await bed.run("keys", "root", "publish", draftOf(2));
    expect([later.code, later.stderr]).toEqual([2, expect.stringContaining("the controller could send nothing")]);
    expect((await readRoot()).version).toBe(1);
  });
});

describe("what is refused before anything is written", () => {
  it.each([
    ["a role that is none", ["keys", "rotate", "operator"]],
    ["a threshold above the keys", ["keys", "init", "--root-keys", "2", "--threshold", "3"]],
    ["a file that is no root", ["keys", "root", "sign", "mesh.json"]],
    ["no file", ["keys", "root", "publish"]],
    ["a key id that is none", ["keys", "rotate", "declaration", "--revoke", "../../x"]],
    ["more root keys to sign than there would be", ["keys", "rotate", "root", "--threshold", "2"]],
    ["a key that no root lists", ["keys", "rotate", "declaration", "--revoke", "0".repeat(16)]],
  ])("%s", async (_what, words) => {
    if (words[1] !== "init") await init();
    const written = async () => (await readdir(bed.state, { recursive: true })).toSorted();
    const before = await written();
    const ran = await bed.run(...words);
    expect(ran.code).toBeGreaterThanOrEqual(2);
    expect(ran.stderr).toMatch(/^mesh: /);
    expect(await written()).toEqual(before);
  });

  it("a key that was taken out before, which is said; one that was only replaced goes, and that is said too", async () => {
    const [a, b] = await init();
    const { keys } = await readRoot();
    const first = keyIdOf(keys.find(({ roles }) => roles.includes("declaration"))?.publicKey ?? "");
    const publish = async (version: number): Promise<void> => {
      for (const key of [a, b]) await sign(version, key);
      expect((await bed.run("keys", "root", "publish", draftOf(version))).code).toBe(0);
    };
    await bed.run("keys", "rotate", "declaration");
    await publish(2);
    const again = await bed.run("keys", "rotate", "declaration", "--revoke", first);
    expect(again.stdout).toMatch(new RegExp(`${first} was replaced before, by [0-9a-f]{16}`));
    await publish(3);
    const gone = await bed.run("keys", "rotate", "declaration", "--revoke", first);
    expect(gone.code).toBe(2);
    expect(gone.stderr).toContain(`key ${first} was taken out already: root 2 was the last to list it`);
  }, 60_000);

  it("one of two rotations at once, which then leaves nothing behind", async () => {
    await init();
    const before = await readdir(paths().secrets);
    const rotate = () => bed.run("keys", "rotate", "declaration");
    const both = await Promise.all([rotate(), rotate(), rotate()]);
    const [made, ...refused] = both.toSorted((a, b) => a.code - b.code);
    expect(made?.code).toBe(1);
    for (const one of refused)
      expect(one).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/rotates keys of this mesh|is there: a draft/),
      });
    const after = (await readdir(paths().secrets)).filter((name) => !before.includes(name));
    expect(after).toHaveLength(1);
    expect(made?.stdout).toContain(after[0]);
    expect((await readdir(join(bed.state, "keys"))).filter((name) => /lock|half/.test(name))).toEqual([]);
    // What a killed one has left is no lock.
    await rm(draftOf(2));
    const dead = { owner: { pid: 999_999, startTime: "1", bootId: "gone" }, token: "0".repeat(16) };
    await writeFile(join(bed.state, "keys", "rotate.lock"), JSON.stringify(dead));
    const next = await rotate();
    expect(next.stderr + next.stdout).toMatch(/written to/);
  }, 60_000);

  it("a draft after another root than the one that is here", async () => {
    const [a, b] = await init();
    await bed.run("keys", "rotate", "declaration");
    await sign(2, a);
    await sign(2, b);
    await copyFile(draftOf(2), join(bed.state, "two"));
    expect((await bed.run("keys", "root", "publish", draftOf(2))).code).toBe(0);
    await bed.run("keys", "rotate", "declaration");
    const late = await bed.run("keys", "root", "sign", join(bed.state, "two"), "--key", String(a));
    expect(late.stderr).toContain("after root 2 of");
    const stranger = join(bed.state, "stranger.pem");
    await saveSigningKey(stranger, generateSigningKey());
    expect((await sign(3, stranger)).code).toBe(2);
  }, 60_000);
});
