import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { connect, createServer } from "node:tls";
import type { AddressInfo } from "node:net";
import pino from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { certificateFilesOf, meshPaths } from "../../src/cli/mesh-setup.ts";
import { readKeptRoot } from "../../src/cli/keys/kept-root.ts";
import { readRootFile } from "../../src/cli/keys/root-files.ts";
import { prepareKeys } from "../../src/cli/up/prepare-keys.ts";
import { type Enrolment, findAuthorityEnds, putOffAuthorityEnd } from "../../src/link/authority-end.ts";
import { lifeOf } from "../../src/link/certificate-authority.ts";
import { generateSigningKey } from "../../src/link/keys.ts";
import { createRoot } from "../../src/link/root.ts";
import { hashEnrolmentSecret, parseEnrolmentToken } from "../../src/link/enrolment-token.ts";
import { listConditions } from "../../src/store/conditions.ts";
import { keepRoot } from "../../src/store/roots.ts";
import { useToken } from "../../src/store/enrolment.ts";
import { listNodes } from "../../src/store/nodes.ts";
import { openCertificate, watchCertificate } from "../../src/worker/watch-certificate.ts";
import { DAY } from "../link/support/fixtures.ts";
import { addNodes, mesh, until } from "../store/open-records.ts";
import { openCommandBed, type CommandBed } from "./command-bed.ts";

let bed: CommandBed;
const paths = () => meshPaths(bed.state);
const log = pino({ level: "silent" });
const elsewhere = () => join(bed.state, "stick", "authority-key.pem");

beforeEach(async () => {
  bed = await openCommandBed();
  await mkdir(join(bed.state, "stick"));
  await rm(paths().authority);
  const temporal = { address: "127.0.0.1:1", namespace: "default", ui: null };
  const gateway = { host: "127.0.0.1", port: 7443 };
  await writeFile(paths().meshFile, JSON.stringify({ schema: 1, mesh, temporal, gateway }));
});
afterEach(() => bed.close());

const said: string[] = [];
const prepare = (nowMs: number) =>
  prepareKeys(
    {
      mesh,
      paths: paths(),
      listen: "127.0.0.1",
      say: (line) => said.push(line),
      readKeptRoot: () => readKeptRoot(bed.records.db, mesh),
    },
    nowMs,
  );

/** Whether a host that pins this authority believes what the files hold. */
async function believes(caPem: string): Promise<boolean> {
  const cert = await readFile(paths().gatewayCertificate);
  const server = createServer({ cert, key: await readFile(paths().gatewayKey) });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const isBelieved = await new Promise<boolean>((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, ca: caPem }, () => resolve(true));
    socket.on("error", () => resolve(false));
    socket.on("close", () => server.close());
    socket.on("secureConnect", () => socket.end());
  });
  return isBelieved;
}

const enrolled = (name: string, enrolledAt: string, authorityEndsAt: string | null = null): Enrolment => ({
  name,
  enrolledAt,
  authorityEndsAt,
});
const endOf = (certPem: string): string => new Date(lifeOf(certPem).endsMs).toISOString();
const ends = (nodes: readonly Enrolment[], nowMs = Date.now()) =>
  findAuthorityEnds(certificateFilesOf(paths()), { listNodes: async () => nodes, nowMs });

describe("a root document that is gone", () => {
  it("is taken from the records: another root 1 would be believed by no host, and make theirs look forged", async () => {
    await prepare(Date.now());
    const first = await readFile(paths().rootDocument);
    await keepRoot(bed.records.db, mesh, { version: 1, envelope: first });
    await rm(paths().rootDocument);
    await rm(paths().rootKey);
    await prepare(Date.now());
    expect(await readFile(paths().rootDocument)).toEqual(first);
    expect(existsSync(paths().rootKey)).toBe(false);
    expect(said.at(-1)).toMatch(/root.dsse was gone; the newest root of the records is in its place/);
  });

  it("is not taken from records whose roots do not follow one another: then it is restored by a person", async () => {
    await prepare(Date.now());
    await keepRoot(bed.records.db, mesh, { version: 1, envelope: await readFile(paths().rootDocument) });
    const stranger = generateSigningKey();
    const { root } = await readRootFile(paths().rootDocument);
    const keys = root.keys.map((key) => (key.roles.includes("root") ? { ...key, publicKey: stranger.publicKey } : key));
    await keepRoot(bed.records.db, mesh, {
      version: 2,
      envelope: createRoot({ ...root, version: 2, keys }, [stranger]),
    });
    await rm(paths().rootDocument);
    await expect(prepare(Date.now())).rejects.toThrow(/the records' root 2 cannot be used/);
    expect(existsSync(paths().rootDocument)).toBe(false);
  });
});

describe("mesh keys certificate", () => {
  it("ends the condition that names it, typed as told, where the authority's key was taken away (R33)", async () => {
    await prepare(Date.now() - 65 * DAY);
    await rename(paths().authorityKey, elsewhere());
    const files = { ...certificateFilesOf(paths()), host: "127.0.0.1" };
    const used = await openCertificate(files, log, Date.now());
    const db = bed.records.as("controller");
    const seen: string[] = [];
    const gateway = { useCertificate: ({ certPem }: { certPem: string }) => void seen.push(certPem) };
    const watch = watchCertificate({ db, mesh, log, files, used, gateway, everyMs: 10 });
    const conditions = () => listConditions(bed.records.db, mesh);
    try {
      const { remedy } = await until(async () => (await conditions())[0] ?? false);
      const words = /mesh (keys certificate --authority-key) FILE/.exec(remedy)?.[1]?.split(" ") ?? [];
      expect(await bed.run(...words, elsewhere())).toMatchObject({ code: 0 });
      await until(async () => (await conditions()).length === 0);
      expect(seen).toEqual([await readFile(paths().gatewayCertificate, "utf8")]);
    } finally {
      await watch.stop();
    }
  });

  it("refuses another authority's key, and changes nothing", async () => {
    await prepare(Date.now());
    const before = await readFile(paths().gatewayCertificate, "utf8");
    const ran = await bed.run("keys", "certificate", "--authority-key", paths().gatewayKey);
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringMatching(/is not the key of .*authority.pem/) });
    expect(await bed.run("keys", "certificate", "--authority-key", elsewhere())).toMatchObject({ code: 2 });
    expect(await readFile(paths().gatewayCertificate, "utf8")).toBe(before);
  });

  it("puts off the authority's end: hosts go on by the one that they pin, and are named until they enrolled again", async () => {
    const bornMs = Date.now() - 3_600 * DAY;
    await prepare(bornMs);
    const nodes = [enrolled("shop-1", new Date(Date.now() - 3_000 * DAY).toISOString())];
    expect(await ends(nodes, bornMs + 3_000 * DAY)).toEqual([]);
    expect(await ends(nodes)).toMatchObject([
      {
        subject: "authority",
        urgent: true,
        remedy: expect.stringContaining("mesh keys certificate --renew-authority"),
      },
    ]);
    const pinned = await readFile(paths().authority, "utf8");
    const ran = await bed.documentOf("keys", "certificate", "--renew-authority");
    expect(Date.parse(String(ran["authorityUntil"]))).toBeGreaterThan(Date.now() + 3_600 * DAY);
    const now = await readFile(paths().authority, "utf8");
    expect(now).not.toBe(pinned);
    expect([await believes(pinned), await believes(now)]).toEqual([true, true]);
    expect(await ends(nodes)).toMatchObject([
      {
        subject: `authority until ${endOf(pinned).slice(0, 19)}`,
        message: expect.stringContaining("shop-1"),
        urgent: true,
      },
    ]);
    expect(await ends([enrolled("shop-1", new Date(Date.now() + 5_000).toISOString(), endOf(now))])).toEqual([]);
  });

  it("names who enrolled after it by a token from before: what a host pins is in its token (R33)", async () => {
    await prepare(Date.now() - 3_600 * DAY);
    await addNodes(bed.records.db, "shop-1", "shop-2");
    const early = await bed.documentOf("host", "token", "shop-1");
    await bed.documentOf("keys", "certificate", "--renew-authority");
    const late = await bed.documentOf("host", "token", "shop-2");
    for (const [node, { token }] of [["shop-1", early] as const, ["shop-2", late] as const]) {
      const { secret } = parseEnrolmentToken(String(token));
      const keys = { sign: Buffer.from(node).toString("base64"), seal: `age1${"q".repeat(40)}` };
      const use = { node, hash: hashEnrolmentSecret(secret), keys, incarnation: node };
      expect(await useToken(bed.records.db, mesh, use)).toBe("enrolled");
    }
    expect(await ends(await listNodes(bed.records.db, mesh))).toMatchObject([
      { message: expect.stringMatching(/not believed by shop-1$/), urgent: true },
    ]);
    // Where that was not kept: as long as a token lives it may have been one from before.
    const unknown = (agoMs: number) => [enrolled("shop-1", new Date(Date.now() + agoMs).toISOString())];
    expect([(await ends(unknown(3_500_000))).length, (await ends(unknown(3_700_000))).length]).toEqual([1, 0]);
  });

  it("says of each authority before who pins it, where the end was put off twice (R33)", async () => {
    const bornMs = Date.now() - 3_600 * DAY;
    await prepare(bornMs);
    const first = await readFile(paths().authority, "utf8");
    await putOffAuthorityEnd(certificateFilesOf(paths()), Date.now() - 3_500 * DAY);
    const second = await readFile(paths().authority, "utf8");
    await putOffAuthorityEnd(certificateFilesOf(paths()), Date.now());
    const [one, other] = [first, second].map((pem, at) => enrolled(`shop-${at + 1}`, endOf(first), endOf(pem)));
    if (one === undefined || other === undefined) throw new Error("there are two");
    expect(await ends([other, one])).toMatchObject([
      { subject: `authority until ${endOf(first).slice(0, 19)}`, message: expect.stringMatching(/by shop-1$/) },
      { subject: `authority until ${endOf(second).slice(0, 19)}`, message: expect.stringMatching(/by shop-2$/) },
    ]);
    expect(await ends([other])).toMatchObject([{ message: expect.stringMatching(/by shop-2$/) }]);
  });
});

describe("a start (mesh up)", () => {
  it("makes no other authority where its key was taken away: hosts pin the one that there is", async () => {
    await prepare(Date.now() - 40 * DAY);
    await rename(paths().authorityKey, elsewhere());
    const before = [await readFile(paths().authority, "utf8"), await readFile(paths().gatewayCertificate, "utf8")];
    await prepare(Date.now());
    const after = [await readFile(paths().authority, "utf8"), await readFile(paths().gatewayCertificate, "utf8")];
    expect(after).toEqual(before);
    said.length = 0;
    await prepare(Date.now() + 25 * DAY);
    expect(said.join()).toContain("mesh keys certificate --authority-key");
    // With the key there again it is renewed.
    await rename(elsewhere(), paths().authorityKey);
    await prepare(Date.now() + 25 * DAY);
    expect(lifeOf(await readFile(paths().gatewayCertificate, "utf8")).endsMs).toBeGreaterThan(Date.now() + 100 * DAY);
    expect(await readFile(paths().authority, "utf8")).toBe(before[0]);
  });

  it("makes another authority where the key is lost and both certificates were removed, as docs/keys.md says", async () => {
    await prepare(Date.now());
    const pinned = await readFile(paths().authority, "utf8");
    for (const file of [paths().authorityKey, paths().authority, paths().gatewayCertificate]) await rm(file);
    await prepare(Date.now());
    const now = await readFile(paths().authority, "utf8");
    expect([await believes(pinned), await believes(now)]).toEqual([false, true]);
  });
});
