import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { InputError, UnavailableError } from "../../src/core/errors.ts";
import { generateSigningKey, incarnationOf, loadSigningKey, saveSigningKey } from "../../src/link/keys.ts";
import { verifySignature, whyBadPublicKey } from "../../src/link/public-key.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mesh-keys-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("keys", () => {
  it("come back from their file, which only their owner may read", async () => {
    const key = generateSigningKey();
    const file = join(folder, "sign.pem");
    await saveSigningKey(file, key);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, "utf8")).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    expect(await loadSigningKey(file)).toMatchObject({ keyId: key.keyId, publicKey: key.publicKey });
    expect(await readdir(folder)).toEqual(["sign.pem"]);
  });

  it("are refused when others may read them, or when they are something else", async () => {
    const open = join(folder, "open.pem");
    await saveSigningKey(open, generateSigningKey());
    await chmod(open, 0o644);
    await expect(loadSigningKey(open)).rejects.toThrow(/others may read/);
    const rubbish = join(folder, "rubbish.pem");
    await writeFile(rubbish, "canary", { mode: 0o600 });
    await expect(loadSigningKey(rubbish)).rejects.toThrow(InputError);
    await expect(loadSigningKey(rubbish)).rejects.not.toThrow(/canary/);
    const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
    const other = join(folder, "rsa.pem");
    await writeFile(other, rsa.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
    await expect(loadSigningKey(other)).rejects.toThrow(/not Ed25519/);
    await expect(loadSigningKey(join(folder, "none.pem"))).rejects.toThrow(UnavailableError);
  });

  it("name an incarnation by 16 hex digits of the raw key's digest", () => {
    expect(incarnationOf(Buffer.alloc(32).toString("base64"))).toBe("66687aadf862bd77");
  });
});

describe("public keys", () => {
  const yOf = (...hex: string[]) => hex.map((text) => Buffer.from(text, "hex").toString("base64"));
  /** RFC 8032's curve: the 8 points whose order divides 8, then other spellings of the same. */
  const smallOrder = yOf(
    `01${"00".repeat(31)}`,
    `ec${"ff".repeat(30)}7f`,
    "00".repeat(32),
    `${"00".repeat(31)}80`,
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
  );
  const otherSpellings = yOf(
    `01${"00".repeat(30)}80`,
    `ec${"ff".repeat(31)}`,
    `ed${"ff".repeat(30)}7f`,
    `ed${"ff".repeat(31)}`,
    `ee${"ff".repeat(30)}7f`,
    `ee${"ff".repeat(31)}`,
  );

  it.each([...smallOrder, ...otherSpellings])("of small order are refused: %s (case 45)", (key) => {
    expect(whyBadPublicKey(key)).toMatch(/small order|not a canonical point/);
  });

  it("of small order would be believed by node:crypto, and are not by us", () => {
    const [key = ""] = smallOrder;
    // R is the identity, S is nought: S·B = R + k·A for every message when A is the identity.
    const signature = Buffer.concat([Buffer.from([1]), Buffer.alloc(63)]);
    const x = Buffer.from(key, "base64").toString("base64url");
    const publicKey = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
    expect(verify(null, Buffer.from("any message"), publicKey, signature)).toBe(true);
    expect(verifySignature(key, Buffer.from("any message"), signature)).toBe(false);
  });

  it.each([
    ["", "32 bytes"],
    ["AAAA", "32 bytes"],
    ["!!!!", "base64"],
    [`${generateSigningKey().publicKey} `, "base64"],
  ])("that are none are refused: %j", (key, why) => {
    expect(whyBadPublicKey(key)).toContain(why);
  });

  it("that were generated are good", () => {
    for (let count = 0; count < 20; count += 1) expect(whyBadPublicKey(generateSigningKey().publicKey)).toBeNull();
  });
});
