import { beforeAll, describe, expect, it } from "vitest";
import { InputError } from "../../src/core/errors.ts";
import { Encrypter } from "age-encryption";
import { smallOrderRecipients } from "./support/fixtures.ts";
import { generateSealIdentity, openBox, recipientOf, sealSecret, type SealIdentity } from "../../src/link/sealing.ts";

const secret = { node: "node-a", provision: "p@q", version: 2, user: "u", password: "canary-51" };
const expected = { node: "node-a", provision: "p@q", version: 2 };
let mine: SealIdentity;
let other: SealIdentity;
let box = "";
beforeAll(async () => {
  mine = await generateSealIdentity();
  other = await generateSealIdentity();
  box = await sealSecret(secret, mine.recipient);
});

async function sealText(text: string): Promise<string> {
  const encrypter = new Encrypter();
  encrypter.addRecipient(mine.recipient);
  return Buffer.from(await encrypter.encrypt(text)).toString("base64");
}

describe("sealing (R46)", () => {
  it("opens with the identity it was sealed to", async () => {
    expect(await openBox(box, mine.identity, expected)).toEqual({ ok: true, secret });
    expect(await recipientOf(mine.identity)).toBe(mine.recipient);
    expect(Buffer.from(box, "base64").toString("latin1")).not.toContain("canary");
  });

  it.each([
    ["another node", { ...expected, node: "node-b" }, "another node"],
    ["another provision", { ...expected, provision: "x@q" }, "another provision"],
    ["another version", { ...expected, version: 1 }, "another version"],
  ])("refuses a box for %s", async (_name, wanted, message) => {
    const opened = await openBox(box, mine.identity, wanted);
    expect(opened).toMatchObject({ ok: false, check: "seal", message: expect.stringContaining(message) });
    expect(JSON.stringify(opened)).not.toContain("canary");
  });

  it("refuses a box sealed to another host, a damaged one, and what is none", async () => {
    expect(await openBox(box, other.identity, expected)).toMatchObject({ ok: false });
    const damaged = Buffer.from(box, "base64");
    damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1;
    for (const bad of [damaged.toString("base64"), "", "!!!!", "aGk=", "A".repeat(9000), box.slice(0, 100)])
      expect(await openBox(bad, mine.identity, expected)).toMatchObject({ ok: false, check: "seal" });
  });

  it("refuses what is no secret, without a word of it (case 51)", async () => {
    const texts = ["canary-51", '{"password":"canary-51"}', '{"user":"canary-51","user":"x"}', "[[[[1]]]]"];
    for (const text of texts) {
      const opened = await openBox(await sealText(text), mine.identity, expected);
      expect(opened).toMatchObject({ ok: false, check: "seal" });
      expect(JSON.stringify(opened)).not.toContain("canary");
    }
  });

  it("refuses to seal to what is no key, without a word of the secret", async () => {
    for (const recipient of ["age1nonsense", ...smallOrderRecipients]) {
      const failure = await sealSecret(secret, recipient).catch((error: unknown) => error);
      expect(failure, recipient).toBeInstanceOf(InputError);
      expect(failure).toMatchObject({
        message: "node node-a has no usable sealing key",
        next: "Enrol this node again.",
      });
      expect(String(failure)).not.toContain("canary");
    }
    const identity = await recipientOf("AGE-SECRET-KEY-1CANARY").catch((error: unknown) => error);
    expect(identity).toBeInstanceOf(InputError);
    expect(String(identity)).not.toContain("CANARY");
  });
});
