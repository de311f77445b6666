import { beforeAll, describe, expect, it } from "vitest";
import { InputError } from "../../src/core/errors.ts";
import { createCertificateAuthority } from "../../src/link/certificate-authority.ts";
import {
  formatEnrolmentToken,
  hashEnrolmentSecret,
  newEnrolmentSecret,
  parseEnrolmentToken,
  type EnrolmentToken,
} from "../../src/link/enrolment-token.ts";
import { REFERENCE } from "./support/fixtures.ts";

let token: EnrolmentToken;
beforeAll(async () => {
  const { certPem } = await createCertificateAuthority({ mesh: "demo", nowMs: REFERENCE });
  token = { url: "https://127.0.0.1:7443", ca: certPem, mesh: "demo", node: "node-a", secret: newEnrolmentSecret() };
});
const encode = (value: unknown) => `mesh1.${Buffer.from(JSON.stringify(value)).toString("base64url")}`;

describe("enrolment token", () => {
  it("is one word, and comes back as it was", () => {
    const text = formatEnrolmentToken(token);
    expect(text).toMatch(/^mesh1\.[A-Za-z0-9_-]+$/);
    expect(parseEnrolmentToken(` ${text}\n`)).toEqual(token);
  });

  it.each([
    ["nothing", () => "", "mesh1."],
    ["another word", () => "hello", "mesh1."],
    ["cut off", () => formatEnrolmentToken(token).slice(0, -3), "no enrolment token"],
    ["rubbish added", () => `${formatEnrolmentToken(token)}!`, "do not belong"],
    ["a megabyte", () => `mesh1.${"A".repeat(1_000_000)}`, "longer than"],
    ["an address without TLS", () => encode({ ...token, url: "http://x:1" }), "url"],
    ["an address with a path", () => encode({ ...token, url: "https://x:1/y" }), "url"],
    ["an address with a user", () => encode({ ...token, url: "https://a@x:1" }), "url"],
    ["no authority", () => encode({ ...token, ca: "" }), "ca"],
    ["a node that is no name", () => encode({ ...token, node: "../x" }), "node"],
    ["a short secret", () => encode({ ...token, secret: "abc" }), "secret"],
    ["nested", () => encode({ ...token, node: { a: 1 } }), "deeper"],
  ])("is refused with a reason and without the secret: %s", (_name, make, message) => {
    const parse = () => parseEnrolmentToken(make());
    expect(parse).toThrow(InputError);
    expect(parse).toThrow(message);
    expect(parse).not.toThrow(token.secret);
  });

  it("leaves a hash with the store", () => {
    expect(hashEnrolmentSecret("x")).toBe("2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881");
    expect(newEnrolmentSecret()).not.toBe(newEnrolmentSecret());
  });
});
