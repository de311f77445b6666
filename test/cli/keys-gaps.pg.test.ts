import { existsSync } from "node:fs";
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { meshPaths } from "../../src/cli/mesh-setup.ts";
import { generateSigningKey } from "../../src/link/keys.ts";
import { createRoot, verifyRoot } from "../../src/link/root.ts";
import { listRootsAfter } from "../../src/store/roots.ts";
import { mesh } from "../store/open-records.ts";
import { openCommandBed, type CommandBed } from "./command-bed.ts";

let bed: CommandBed;
let stick = "";
let key = "";

beforeEach(async () => {
  bed = await openCommandBed();
  stick = join(bed.state, "stick");
  await mkdir(stick);
  const made = await bed.run("keys", "init", "--root-keys", "2", "--threshold", "1", "--out", stick, "--mesh", mesh);
  expect(made.code).toBe(0);
  key = join(stick, String((await readdir(stick)).toSorted()[0]));
});
afterEach(() => bed.close());

const draftOf = (version: number): string => join(bed.state, "keys", `root-${version}.draft`);
const publish = (...files: string[]) => bed.run("keys", "root", "publish", ...files);

async function publishUpTo(last: number): Promise<void> {
  for (let version = 2; version <= last; version += 1) {
    await bed.run("keys", "rotate", "provenance");
    expect((await bed.run("keys", "root", "sign", draftOf(version), "--key", key)).code).toBe(0);
    expect((await publish(draftOf(version))).code).toBe(0);
  }
}

async function lose(...versions: number[]): Promise<void> {
  await bed.records.db.query(`delete from root_document where version = any($1::bigint[])`, [versions]);
}

const versions = async () => (await listRootsAfter(bed.records.db, mesh, 0)).map(({ version }) => version);

describe("a root that the records lack between others", () => {
  it("is taken again, all of a gap at once, and has its file", async () => {
    await publishUpTo(5);
    expect((await readdir(join(bed.state, "keys", "roots"))).toSorted()).toEqual([
      "2.dsse",
      "3.dsse",
      "4.dsse",
      "5.dsse",
    ]);
    await lose(4);
    await rm(join(bed.state, "keys", "roots", "4.dsse"));
    expect(await publish(draftOf(4))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("root 4 is in the records again"),
    });
    expect(await readFile(join(bed.state, "keys", "roots", "4.dsse"))).toEqual(await readFile(draftOf(4)));
    await lose(3, 4);
    const half = await publish(draftOf(4));
    expect([half.code, half.stderr]).toEqual([2, expect.stringContaining("root 3 does not fit: it is not there")]);
    expect(await versions()).toEqual([1, 2, 5]);
    expect((await publish(draftOf(4), draftOf(3))).code).toBe(0);
    expect(await versions()).toEqual([1, 2, 3, 4, 5]);
    // It was the newest root here, and still is.
    expect(verifyRoot(await readFile(meshPaths(bed.state).rootDocument), { mesh })).toMatchObject({
      root: { version: 5 },
    });
  }, 60_000);

  it("is taken, and the next root that is offered beside it is published: a stolen key must not stay (R46)", async () => {
    await publishUpTo(5);
    await lose(4);
    await bed.run("keys", "rotate", "provenance");
    expect((await bed.run("keys", "root", "sign", draftOf(6), "--key", key)).code).toBe(0);
    const ran = await publish(...[2, 3, 4, 5, 6].map(draftOf));
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining("root 4 is in the records again")]);
    expect(ran.stdout).toContain("root 6 is published");
    expect(await versions()).toEqual([1, 2, 3, 4, 5, 6]);
  }, 60_000);

  it("is taken, and what is refused beside it is said, with its reason", async () => {
    await publishUpTo(4);
    await lose(3);
    await bed.run("keys", "rotate", "provenance");
    const ran = await publish(draftOf(3), draftOf(5));
    expect([ran.code, ran.stderr]).toEqual([
      2,
      expect.stringMatching(/root 3 is in the records again[^]*root-5\.draft is refused/),
    ]);
    expect(await versions()).toEqual([1, 2, 3, 4]);
  }, 60_000);

  it("is refused when the one before does not vouch for it, or the one after is not vouched for by it", async () => {
    await publishUpTo(3);
    const verified = verifyRoot(await readFile(draftOf(2)), { mesh });
    if (!verified.ok) throw new Error(verified.message);
    const stranger = generateSigningKey();
    const [someone] = verified.root.keys;
    if (someone === undefined) throw new Error("a root without keys");
    const his = { ...someone, publicKey: stranger.publicKey, roles: ["root" as const] };
    await lose(2);
    const file = join(bed.state, "false");
    await writeFile(file, createRoot({ ...verified.root, keys: [his] }, [stranger]));
    const refused = await publish(file);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("not signed by the keys of root 1")]);
    expect(await versions()).toEqual([1, 3]);
    // Root 1 vouches for this one. Root 3 is of the other line, and nobody could go on from here.
    await lose(3);
    await copyFile(join(bed.state, "keys", "roots", "2.dsse"), join(bed.state, "two"));
    await bed.records.db.query(`insert into root_document (mesh, version, envelope) values ($1, 3, $2)`, [
      mesh,
      createRoot({ ...verified.root, version: 3, keys: [his] }, [stranger]),
    ]);
    const other = await publish(join(bed.state, "two"));
    expect([other.code, other.stderr]).toEqual([2, expect.stringMatching(/root 3 in the records does not fit/)]);
    expect(await versions()).toEqual([1, 3]);
  }, 60_000);
});

describe("a draft that was not published", () => {
  it("is not written over: its signature stays, no key is made, and the words say what to do", async () => {
    await bed.run("keys", "rotate", "declaration");
    await bed.run("keys", "root", "sign", draftOf(2), "--key", key);
    const before = await readFile(draftOf(2));
    const secrets = await readdir(meshPaths(bed.state).secrets);
    const again = await bed.run("keys", "rotate", "declaration");
    expect(again.code).toBe(2);
    expect(again.stderr).toMatch(
      /root-2\.draft is there: a draft of root 2 that was not published \(signed by [0-9a-f]{16}\)/,
    );
    expect(again.stderr).toMatch(/mesh keys root sign .*mesh keys root publish .*rm /);
    expect(await readFile(draftOf(2))).toEqual(before);
    expect(await readdir(meshPaths(bed.state).secrets)).toEqual(secrets);
    await rm(draftOf(2));
    await bed.run("keys", "rotate", "declaration");
    expect(existsSync(draftOf(2))).toBe(true);
  });
});

describe("a root that is refused says what helps", () => {
  it.each([
    ["too few have signed", (bytes: Buffer) => bytes, "mesh keys root sign"],
    ["it is empty", () => Buffer.alloc(0), "take another copy"],
    ["it is cut", (bytes: Buffer) => bytes.subarray(0, 200), "take another copy"],
    ["it was changed", (bytes: Buffer) => changeThreshold(bytes), "take another copy"],
  ])("where %s", async (what, change, helps) => {
    await bed.run("keys", "rotate", "provenance");
    const file = join(bed.state, "it");
    if (!what.startsWith("too few")) await bed.run("keys", "root", "sign", draftOf(2), "--key", key);
    await writeFile(file, change(await readFile(draftOf(2))));
    const ran = await publish(file);
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining(helps)]);
    if (!what.startsWith("too few")) expect(ran.stderr).not.toMatch(/next: mesh keys root sign adds/);
  });

  it("where it is lower, or one of several", async () => {
    await publishUpTo(3);
    expect((await publish(draftOf(2))).stderr).toContain("mesh keys rotate writes root 4");
    await bed.run("keys", "rotate", "provenance");
    const copy = join(bed.state, "copy");
    await writeFile(copy, await readFile(draftOf(4)));
    const several = await publish(draftOf(4), copy);
    expect([several.code, several.stderr]).toEqual([
      2,
      expect.stringContaining("only where the records lack them all"),
    ]);
  }, 60_000);
});

describe("drafts of earlier rotations, beside the next one (R48)", () => {
  it("are passed over: keys/*.draft is published as it stands", async () => {
    await publishUpTo(2);
    await bed.run("keys", "rotate", "provenance");
    await bed.run("keys", "root", "sign", draftOf(3), "--key", key);
    expect(await publish(draftOf(2), draftOf(3))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("root 3 is published: "),
    });
    expect(await versions()).toEqual([1, 2, 3]);
  }, 60_000);

  it("are published already where there is nothing else", async () => {
    await publishUpTo(3);
    const again = await publish(draftOf(2), draftOf(3));
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("root 3 is published already")]);
  }, 60_000);
});

/** The payload says another threshold than the one that was signed. */
function changeThreshold(bytes: Buffer): Buffer {
  const envelope = JSON.parse(String(bytes)) as { payload: string };
  const payload = Buffer.from(envelope.payload, "base64").toString().replace('"threshold":1', '"threshold":2');
  return Buffer.from(JSON.stringify({ ...envelope, payload: Buffer.from(payload).toString("base64") }));
}
