import { armor, Encrypter } from "age-encryption";
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { InputError } from "../../src/core/errors.ts";
import { loadKeyFile, saveKeyFile } from "../../src/link/key-file.ts";
import { generateSigningKey } from "../../src/link/keys.ts";

const passphrase = "a long passphrase";
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mesh-key-file-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("a key behind a passphrase", () => {
  it("comes back with it, and not with another", async () => {
    const key = generateSigningKey();
    const file = join(folder, "key.age");
    await saveKeyFile(file, key, passphrase);
    expect((await loadKeyFile(file, passphrase)).publicKey).toBe(key.publicKey);
    await expect(loadKeyFile(file, "another passphrase")).rejects.toThrow(InputError);
    await expect(loadKeyFile(file, null)).rejects.toThrow("is encrypted");
  });

  it.each([
    ["no key at all", "canary"],
    [
      "no Ed25519",
      generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" }),
    ],
  ])("is refused where it is %s, and its text is not said", async (_what, text) => {
    const encrypter = new Encrypter();
    encrypter.setPassphrase(passphrase);
    const file = join(folder, "other.age");
    await writeFile(file, armor.encode(await encrypter.encrypt(text.toString())), { mode: 0o600 });
    const failure = await loadKeyFile(file, passphrase).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(InputError);
    expect(String(failure)).not.toContain("canary");
  });
});
