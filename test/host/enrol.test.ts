import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { enrolHost } from "../../src/host/enrol.ts";
import { hostFolders } from "../../src/host/folders.ts";
import { readIdentityFiles } from "../../src/host/identity-files.ts";
import {
  createCertificateAuthority,
  extendCertificateAuthority,
  issueServerCertificate,
} from "../../src/link/certificate-authority.ts";
import { formatEnrolmentToken, type EnrolmentToken } from "../../src/link/enrolment-token.ts";
import { generateSigningKey } from "../../src/link/keys.ts";
import { createRoot } from "../../src/link/root.ts";
import { bundleHost, type HostBed, makeFolder, raiseHostBed } from "../support/host-bed.ts";

let bed: HostBed | null = null;

afterEach(async () => {
  await bed?.close();
  bed = null;
});

/** As one that is made for this node later. */
function newToken({ raised }: HostBed, changes: Partial<EnrolmentToken> = {}): string {
  const secret = randomBytes(32).toString("base64url");
  raised.records.tokens.set(secret, "node-a");
  const token = { url: raised.url, ca: raised.authority.certPem, mesh: "demo", node: "node-a", secret };
  return formatEnrolmentToken({ ...token, ...changes });
}

/** From here on the gateway answers for this authority. */
async function serveUnderAnother({ raised }: HostBed): Promise<string> {
  const nowMs = Date.now();
  const another = await createCertificateAuthority({ mesh: "demo", nowMs });
  const names = { names: ["localhost"], addresses: ["127.0.0.1"] };
  raised.gateway.useCertificate(await issueServerCertificate(another, { ...names, nowMs }));
  return another.certPem;
}

it("the host program says what to do where its token is refused (R48)", { timeout: 60_000 }, async () => {
  bed = await raiseHostBed();
  const [program, folder] = [await bundleHost(), await makeFolder()];
  const unknown = newToken(bed);
  bed.raised.records.tokens.clear();
  const file = path.join(folder, "token");
  await writeFile(file, unknown, { mode: 0o600 });
  const words = ["enrol", "--dir", path.join(folder, "host"), "--token-file", file];
  const ended = await new Promise<{ code: unknown; stderr: string }>((resolve) =>
    execFile(process.execPath, [program, ...words], (error, _stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stderr }),
    ),
  );
  expect(ended.code).toBe(2);
  expect(ended.stderr).toMatch(
    /^mesh-host: the gateway refused POST \/v1\/enrol: .* \(401\)\nA token works once, .*\n$/,
  );
});

it.each(["sign.pem", "seal.key"])(
  "a host that lost its %s makes none in its place: it is another host now (R46)",
  async (name) => {
    bed = await raiseHostBed();
    const file = path.join(bed.dir, "keys", name);
    await rm(file);
    const folder = bed.dir;
    const lost = `enrolled as node-a of mesh demo, and has lost keys/${name}`;
    await expect(enrolHost(folder, newToken(bed))).rejects.toThrow(lost);
    await expect(readFile(file)).rejects.toThrow("ENOENT");
    await expect(readIdentityFiles(hostFolders(folder))).rejects.toThrow(`has lost keys/${name}`);
  },
);

describe("a host that enrols where it had enrolled", { timeout: 60_000 }, () => {
  it("is the same host: what a start that was killed had not noted is completed (R44)", async () => {
    bed = await raiseHostBed();
    const before = bed.raised.records.hosts.get("node-a");
    await enrolHost(bed.dir, newToken(bed));
    expect(bed.raised.records.hosts.get("node-a")).toEqual(before);
    bed.start();
    await bed.report(({ outcome }) => outcome === "none", "running");
  });

  it("takes another address of its controller, and keeps the root that it has pinned", async () => {
    bed = await raiseHostBed();
    const file = path.join(bed.dir, "keys", "root.dsse");
    const pinned = await readFile(file);
    const stranger = generateSigningKey();
    bed.raised.records.root = createRoot(
      {
        ...bed.firstRoot,
        keys: bed.firstRoot.keys.map((key) => ({ ...key, publicKey: stranger.publicKey })).slice(0, 1),
      },
      [stranger],
    );
    const url = bed.raised.url.replace("127.0.0.1", "localhost");
    expect(await enrolHost(bed.dir, newToken(bed, { url }))).toMatchObject({ url });
    expect(JSON.parse(await readFile(path.join(bed.dir, "keys", "enrolment.json"), "utf8"))).toMatchObject({ url });
    expect(await readFile(file)).toEqual(pinned);
  });

  it("takes the authority's later end, and stays the same host: its key is what a host trusts", async () => {
    bed = await raiseHostBed();
    const before = bed.raised.records.hosts.get("node-a");
    const { certPem: ca } = await extendCertificateAuthority(bed.raised.authority, Date.now());
    expect(ca).not.toBe(bed.raised.authority.certPem);
    expect(await enrolHost(bed.dir, newToken(bed, { ca }))).toMatchObject({ ca });
    expect(bed.raised.records.hosts.get("node-a")).toEqual(before);
    bed.start();
    await bed.report(({ outcome }) => outcome === "none", "running");
  });

  it("takes another authority of its mesh, whose first one's key was lost, and stays the same host (R44)", async () => {
    bed = await raiseHostBed();
    const before = bed.raised.records.hosts.get("node-a");
    bed.raised.records.roots.set(1, bed.raised.records.root);
    const ca = await serveUnderAnother(bed);
    expect(await enrolHost(bed.dir, newToken(bed, { ca }))).toMatchObject({ ca });
    expect(bed.raised.records.hosts.get("node-a")).toEqual(before);
    bed.start();
    await bed.report(({ outcome }) => outcome === "none", "running");
  });

  it("is refused by another mesh of that name: another authority, and not the root that is pinned", async () => {
    bed = await raiseHostBed();
    const kept = await readFile(path.join(bed.dir, "keys", "enrolment.json"), "utf8");
    const ca = await serveUnderAnother(bed);
    const stranger = generateSigningKey();
    const keys = bed.firstRoot.keys.map((key) => ({ ...key, publicKey: stranger.publicKey })).slice(0, 1);
    bed.raised.records.root = createRoot({ ...bed.firstRoot, keys }, [stranger]);
    bed.raised.records.roots.set(1, bed.raised.records.root);
    await expect(enrolHost(bed.dir, newToken(bed, { ca }))).rejects.toThrow(/it is another mesh called demo/);
    expect(await readFile(path.join(bed.dir, "keys", "enrolment.json"), "utf8")).toBe(kept);
  });

  it("is refused for another node or mesh, by who does not answer for the authority, and with keys that are not those it had enrolled with", async () => {
    bed = await raiseHostBed();
    const file = path.join(bed.dir, "keys", "enrolment.json");
    const kept = await readFile(file, "utf8");
    const another = await createCertificateAuthority({ mesh: "demo", nowMs: Date.now() });
    const already = "is already enrolled as node-a of mesh demo";
    const refusals = [
      [{ node: "node-b" }, already],
      [{ mesh: "other" }, already],
      [{ ca: "-----BEGIN CERTIFICATE-----\nother" }, "its certificate authority cannot be used"],
      [{ ca: another.certPem }, "unable to verify the first certificate"],
    ] as const;
    for (const [changes, why] of refusals)
      await expect(enrolHost(bed.dir, newToken(bed, changes))).rejects.toThrow(why);
    await writeFile(
      path.join(bed.dir, "keys", "sign.pem"),
      generateSigningKey().privateKey.export({ type: "pkcs8", format: "pem" }),
    );
    await expect(enrolHost(bed.dir, newToken(bed))).rejects.toThrow("is already enrolled as node-a of mesh demo");
    expect(await readFile(file, "utf8")).toBe(kept);
    await writeFile(file, "{");
    await expect(enrolHost(bed.dir, newToken(bed))).rejects.toThrow("is damaged");
  });
});
