import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import pino from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type Certificate,
  createCertificateAuthority,
  issueServerCertificate,
  lifeOf,
  subjectsOf,
} from "../../src/link/certificate-authority.ts";
import { listConditions } from "../../src/store/conditions.ts";
import { type GatewayFiles, openCertificate, watchCertificate } from "../../src/worker/watch-certificate.ts";
import type { Watch } from "../../src/worker/keep-looking.ts";
import { DAY } from "../link/support/fixtures.ts";
import { raiseGateway, type Raised } from "../link/support/raise-gateway.ts";
import { mesh, openRecords, until, type Records } from "../store/open-records.ts";

const log = pino({ level: "silent" });
let records: Records;
let folder = "";
let files: GatewayFiles;
let authority: Certificate;
let raised: Raised;
let watch: Watch | null = null;

/** As if it had been issued so long ago: TLS goes by this machine's clock. */
async function issued(daysAgo: number, by: Certificate = authority): Promise<Certificate> {
  const subjects = { names: ["localhost", "mesh.example"], addresses: ["127.0.0.1"] };
  return await issueServerCertificate(by, { ...subjects, nowMs: Date.now() - daysAgo * DAY });
}

async function put({ certPem, keyPem }: Certificate): Promise<void> {
  await writeFile(files.certificateFile, certPem);
  await writeFile(files.certificateKeyFile, keyPem, { mode: 0o600 });
}

beforeEach(async () => {
  records = await openRecords();
  folder = await mkdtemp(join(tmpdir(), "mesh-certificate-"));
  files = {
    host: "127.0.0.1",
    certificateFile: join(folder, "gateway.pem"),
    certificateKeyFile: join(folder, "gateway-key.pem"),
    authorityFile: join(folder, "authority.pem"),
    authorityKeyFile: join(folder, "authority-key.pem"),
  };
  authority = await createCertificateAuthority({ mesh, nowMs: Date.now() - 85 * DAY });
  await writeFile(files.authorityFile, authority.certPem);
});
afterEach(async () => {
  await watch?.stop();
  watch = null;
  await raised.close();
  await records.close();
  await rm(folder, { recursive: true });
});

/** A gateway and the watch over its certificate, with the rights that a controller has. */
async function start(nowMs?: () => number): Promise<void> {
  const used = await openCertificate(files, log, nowMs?.() ?? Date.now());
  raised = await raiseGateway({ tls: used });
  const { gateway } = raised;
  watch = watchCertificate({
    db: records.as("controller"),
    mesh,
    log,
    files,
    used,
    gateway,
    everyMs: 10,
    ...(nowMs && { nowMs }),
  });
}

const giveKey = () => writeFile(files.authorityKeyFile, authority.keyPem, { mode: 0o600 });

/** What a host that connects now is shown, and believes. */
async function shown(): Promise<string> {
  return await new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port: raised.port, ca: authority.certPem }, () => {
      const { valid_to: end } = socket.getPeerCertificate();
      socket.destroy();
      resolve(new Date(end).toISOString());
    });
    socket.on("error", reject);
  });
}

const endOf = ({ certPem }: Certificate): string => new Date(lifeOf(certPem).endsMs).toISOString();
const conditions = () => listConditions(records.db, mesh);
const isOpen = (pattern: RegExp) =>
  until(async () => (await conditions()).find(({ code, message }) => pattern.test(`${code} ${message}`)) ?? false);
const areOver = () => until(async () => (await conditions()).length === 0);

/** The socket that answered, kept for the next question. */
async function askOver(agent: Agent): Promise<Socket> {
  return await new Promise((resolve, reject) => {
    request({ agent, host: "127.0.0.1", port: raised.port, path: "/v1/health" }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.socket));
    })
      .on("error", reject)
      .end();
  });
}

describe("the gateway's certificate while its controller runs (R33, R50)", () => {
  it("is renewed by itself where the authority's key is, for the names that it had, and connections go on", async () => {
    const old = await issued(65);
    await put(old);
    await giveKey();
    let behindMs = 11 * DAY;
    await start(() => Date.now() - behindMs);
    const agent = new Agent({ ca: authority.certPem, keepAlive: true, maxSockets: 1 });
    const socket = await askOver(agent);
    expect(await shown()).toBe(endOf(old));
    // A start with more than a month left renews nothing; ten days later it is time.
    behindMs = 0;
    await until(async () => (await shown()) !== endOf(old));
    const made = await readFile(files.certificateFile, "utf8");
    expect(await shown()).toBe(endOf({ certPem: made, keyPem: "" }));
    expect(subjectsOf(made)).toEqual({ names: ["localhost", "mesh.example"], addresses: ["127.0.0.1"] });
    expect(await askOver(agent)).toBe(socket);
    agent.destroy();
    await areOver();
    // Nothing is left over, and it is not made again and again.
    expect((await readdir(folder)).toSorted()).toEqual([
      "authority-key.pem",
      "authority.pem",
      "gateway-key.pem",
      "gateway.pem",
    ]);
    expect(await readFile(files.certificateFile, "utf8")).toBe(made);
  });

  it("is said in time where the authority's key is elsewhere, and what somebody then puts there is used", async () => {
    await put(await issued(65));
    await start();
    const soon = await isOpen(/certificate-ends-soon .*it ends at/);
    expect(soon).toMatchObject({
      urgent: false,
      remedy: expect.stringContaining("mesh keys certificate --authority-key"),
    });
    const fresh = await issued(0);
    // One file after the other, as a copy does: between the two nothing changes, and it is not said for a moment either.
    await writeFile(files.certificateKeyFile, fresh.keyPem, { mode: 0o600 });
    await writeFile(files.certificateFile, fresh.certPem);
    await until(async () => (await shown()) === endOf(fresh));
    await areOver();
  });

  it("is urgent in its last week, and one that hosts would refuse does not take its place", async () => {
    const old = await issued(85);
    await put(old);
    await start();
    expect(await isOpen(/it ends at/)).toMatchObject({ urgent: true });
    const another = await createCertificateAuthority({ mesh, nowMs: Date.now() });
    await put(await issued(0, another));
    await isOpen(/another authority's; the one in use ends at/);
    expect(await shown()).toBe(endOf(old));
    await writeFile(files.certificateKeyFile, "no key at all", { mode: 0o600 });
    expect(await isOpen(/are no pair/)).toMatchObject({ urgent: true });
    expect(await shown()).toBe(endOf(old));
    await giveKey();
    await until(async () => (await shown()) > endOf(old));
    await areOver();
  });

  it("a controller that takes over with one that ended has another one before it listens", async () => {
    await put(await issued(100));
    await giveKey();
    await start();
    expect(Date.parse(await shown())).toBeGreaterThan(Date.now() + 80 * DAY);
  });

  it("a kill between its files leaves a pair: the old one, or the new one", async () => {
    const old = await issued(65);
    await put(old);
    const fresh = await issued(0);
    const nextFile = join(folder, "gateway-key-next.pem");
    await writeFile(nextFile, fresh.keyPem, { mode: 0o600 });
    expect((await openCertificate(files, log, Date.now())).certPem).toBe(old.certPem);
    await writeFile(files.certificateFile, fresh.certPem);
    expect(await openCertificate(files, log, Date.now())).toEqual(fresh);
    await copyFile(nextFile, files.certificateKeyFile);
    await start();
    expect(await shown()).toBe(endOf(fresh));
  });

  it("no certificate and no key of the authority: the gateway says which command makes one", async () => {
    await put(await issued(0));
    await start();
    await rm(files.certificateFile);
    await expect(openCertificate(files, log, Date.now())).rejects.toMatchObject({
      message: expect.stringMatching(/there is no .*gateway.pem/),
      next: expect.stringContaining("mesh keys certificate --authority-key"),
    });
    expect(await isOpen(/there is no .*gateway.pem/)).toMatchObject({ urgent: true });
  });
});
