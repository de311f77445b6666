import { X509Certificate } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  createCertificateAuthority,
  issueServerCertificate,
  whyRenewCertificate,
} from "../../src/link/certificate-authority.ts";
import { DAY, REFERENCE } from "./support/fixtures.ts";

describe("certificate authority", () => {
  it("issues a server certificate for names and addresses, and says when a new one is needed", async () => {
    const authority = await createCertificateAuthority({ mesh: "demo", nowMs: REFERENCE });
    const wanted = { names: ["localhost", "mesh.example"], addresses: ["127.0.0.1", "::1"], nowMs: REFERENCE };
    const server = await issueServerCertificate(authority, wanted);
    const certificate = new X509Certificate(server.certPem);
    expect(certificate.checkIssued(new X509Certificate(authority.certPem))).toBe(true);
    expect(certificate.ca).toBe(false);
    expect(new X509Certificate(authority.certPem).ca).toBe(true);
    expect(certificate.checkHost("mesh.example")).toBe("mesh.example");

    const why = (changes: object) =>
      whyRenewCertificate(server.certPem, { authorityPem: authority.certPem, ...wanted, ...changes });
    expect(why({})).toBeNull();
    expect(why({ nowMs: REFERENCE + 59 * DAY })).toBeNull();
    expect(why({ nowMs: REFERENCE + 61 * DAY })).toMatch(/it ends at/);
    expect(why({ nowMs: REFERENCE + 91 * DAY })).toMatch(/it ended at/);
    // Issued while this machine's clock was ahead.
    expect(why({ nowMs: REFERENCE - 2 * DAY })).toMatch(/it is not valid before/);
    expect(why({ names: ["other.example"] })).toBe("it is not for other.example");
    expect(why({ addresses: ["10.0.0.1"] })).toBe("it is not for 10.0.0.1");
    const another = await createCertificateAuthority({ mesh: "demo", nowMs: REFERENCE });
    expect(why({ authorityPem: another.certPem })).toMatch(/another authority/);
  });

  it("issues nothing for nobody", async () => {
    const authority = await createCertificateAuthority({ mesh: "demo", nowMs: REFERENCE });
    const nobody = { names: [], addresses: [], nowMs: REFERENCE };
    await expect(issueServerCertificate(authority, nobody)).rejects.toThrow(/needs a name/);
  });
});
