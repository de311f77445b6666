import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Order } from "../../src/core/declaration.ts";
import type { Recovery } from "../../src/core/recovery.ts";
import { generateSigningKey, type SigningKey } from "../../src/link/keys.ts";
import { writeRecovery } from "../../src/link/recovery-envelope.ts";
import { signEnvelope } from "../../src/link/envelope.ts";
import { eventually, raiseHostBed, readText, textFile, type HostBed } from "../support/host-bed.ts";

let bed: HostBed | null = null;

afterEach(async () => {
  await bed?.close();
  bed = null;
});

const day = 24 * 3_600_000;
const far: Order = { epoch: 900_001, number: 7 };

const stolen = { node: "node-a", builds: {}, resources: [textFile("settings", "by a stolen key")] };

/** A host that took 1.1, and then what somebody with its declaration key signed as 900001.7. It has ended. */
async function raiseJumped(): Promise<HostBed> {
  const raised = await raiseHostBed();
  await raised.send(1, [textFile("settings", "one")]);
  raised.start();
  await raised.report(({ outcome }) => outcome === "applied", "applied");
  raised.raised.records.send("node-a", far, raised.envelope(await raised.declaration({ ...far, content: stolen })));
  await raised.report(({ has, outcome }) => has?.epoch === far.epoch && outcome === "applied", "jumped");
  await raised.end("SIGTERM");
  return raised;
}

async function documentOf(of: HostBed, changes: Partial<Recovery> = {}): Promise<Recovery> {
  const { incarnation } = await of.declaration({});
  return {
    schema: 1,
    mesh: "demo",
    node: "node-a",
    incarnation,
    replaces: far,
    to: { epoch: 1, number: 1 },
    issuedAt: new Date(Date.now()).toISOString(),
    expiresAt: new Date(Date.now() + day).toISOString(),
    ...changes,
  };
}

async function recover(of: HostBed, bytes: Uint8Array | string, ...more: readonly string[]) {
  const file = path.join(path.dirname(of.dir), "recovery.dsse");
  await writeFile(file, bytes);
  return of.run(["recover", "--dir", of.dir, "--document", file, ...more]);
}

/** Every file of the host's keys and state, with its bytes. */
async function readDisk(of: HostBed): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const folder of ["keys", "state"]) {
    for (const name of await readdir(path.join(of.dir, folder), { recursive: true })) {
      const file = path.join(of.dir, folder, name);
      files[`${folder}/${name}`] = (await stat(file)).isFile() ? (await readFile(file)).toString("base64") : "folder";
    }
  }
  return files;
}

const markOf = async (of: HostBed): Promise<unknown> =>
  JSON.parse(await readText(path.join(of.dir, "state/mark.json")));

describe("a host whose mark was pushed too far", { timeout: 60_000 }, () => {
  it("refuses what comes next, and takes it after a document of the root put the mark back, once (R35)", async () => {
    bed = await raiseJumped();
    const { records } = bed.raised;
    // The mesh goes on where it was. A gateway that sends it all the same meets the fence at the host.
    await bed.send(2, [textFile("settings", "two")]);
    const newestEnvelope = records.newestEnvelope.bind(records);
    const next = await newestEnvelope("node-a", null);
    records.newestEnvelope = async () => next;
    bed.start();
    await bed.report(({ refusals }) => refusals.some(({ check }) => check === "older"), "refused as older");
    const good = writeRecovery(await documentOf(bed), [bed.rootKey]);
    const running = await recover(bed, good);
    expect(running).toMatchObject({ code: 2, out: expect.stringContaining("a host already runs on") });
    expect(await markOf(bed)).toMatchObject({ order: far });
    await bed.end("SIGTERM");
    records.newestEnvelope = newestEnvelope;

    const said = await bed.run(["recover", "--dir", bed.dir]);
    expect(said).toMatchObject({ code: 0, out: expect.stringContaining("--replaces 900001.7 --to EPOCH.NUMBER") });
    const done = await recover(bed, good, "--json");
    expect(done.code).toBe(0);
    expect(JSON.parse(done.out)).toMatchObject({
      schema: "mesh.host-recover.v1",
      node: "node-a",
      was: far,
      is: { epoch: 1, number: 1 },
      signedBy: [bed.rootKey.keyId],
    });
    // Nothing that the mesh had before it takes the place of what was set aside.
    const after = await readDisk(bed);
    expect(after).not.toHaveProperty("state/accepted.dsse");
    expect(await recover(bed, good)).toMatchObject({ code: 2, out: expect.stringContaining("refused (mark)") });
    expect(await readDisk(bed)).toEqual(after);

    bed.reports.length = 0;
    bed.start();
    await bed.report(({ has, outcome }) => has?.number === 2 && outcome === "applied", "the next one");
    expect(await markOf(bed)).toMatchObject({ order: { epoch: 1, number: 2 } });
    expect(await readText(path.join(bed.root, "etc/web/settings"))).toBe("two");
    await bed.end("SIGTERM");
    expect(await recover(bed, good)).toMatchObject({ code: 2, out: expect.stringContaining("refused (mark)") });
  });

  it("refuses every other document, with its reason and the disk as it was", async () => {
    bed = await raiseJumped();
    const of = bed;
    const by = async (changes: Partial<Recovery>, keys: readonly SigningKey[] = [of.rootKey]) =>
      signEnvelope("recovery", Buffer.from(JSON.stringify(await documentOf(of, changes))), keys);
    const long = new Date(Date.now() - day).toISOString();
    const good = await by({});
    const flipped = Buffer.from(good);
    const at = flipped.indexOf('"sig":"') + 20;
    flipped[at] = flipped[at] === 65 ? 66 : 65;
    const documents: readonly (readonly [string, Uint8Array | string])[] = [
      ["mesh", await by({ mesh: "other" })],
      ["node", await by({ node: "node-b" })],
      ["incarnation", await by({ incarnation: "0123456789abcdef" })],
      ["mark", await by({ replaces: { epoch: 900_001, number: 6 } })],
      ["not-lower", await by({ to: far })],
      ["expired", await by({ issuedAt: new Date(Date.now() - 2 * day).toISOString(), expiresAt: long })],
      ["not-yet", await by({ issuedAt: new Date(Date.now() + day / 2).toISOString() })],
      ["too-long", await by({ expiresAt: new Date(Date.now() + 40 * day).toISOString() })],
      ["key", await by({}, [generateSigningKey()])],
      ["envelope", await by({}, [])],
      ["signature", flipped],
      ["envelope", await readFile(path.join(of.dir, "keys/root.dsse"))],
      ["envelope", "\0\0\0"],
    ];
    const before = await readDisk(of);
    for (const [check, bytes] of documents) {
      const ran = await recover(of, bytes);
      expect(ran).toMatchObject({ code: 2, out: expect.stringContaining(`refused (${check})`) });
      expect(await readDisk(of)).toEqual(before);
    }
    const large = await recover(of, Buffer.alloc(1_000_000));
    expect(large).toMatchObject({ code: 2, out: expect.stringContaining("none has so many") });
    const none = await of.run(["recover", "--dir", of.dir, "--document", path.join(of.dir, "not-there")]);
    expect(none).toMatchObject({ code: 2, out: expect.stringContaining("cannot be read") });
    expect(await readDisk(of)).toEqual(before);
    expect((await recover(of, good)).code).toBe(0);
  });

  it("keeps its mark where that cannot be written, and takes the document again then", async () => {
    bed = await raiseJumped();
    const good = writeRecovery(await documentOf(bed), [bed.rootKey]);
    const inTheWay = path.join(bed.dir, "state/.mark.json.mesh-new");
    await mkdir(path.join(inTheWay, "x"), { recursive: true });
    expect((await recover(bed, good)).code).toBe(2);
    expect(await markOf(bed)).toMatchObject({ order: far });
    await rm(inTheWay, { recursive: true });
    expect((await recover(bed, good)).code).toBe(0);
    expect(await markOf(bed)).toMatchObject({ order: { epoch: 1, number: 1 } });
    // No content is the one of the new mark, not that of the old one either: the host takes what is above it.
    const first = bed.envelope(await bed.declaration({ number: 1, content: stolen }));
    bed.raised.records.newestEnvelope = async () => first;
    bed.reports.length = 0;
    bed.start();
    const report = await bed.report(({ refusals }) => refusals.length > 0, "refused");
    expect(report.refusals[0]?.check).toBe("same-number-other-digest");
    await eventually(
      async () => JSON.stringify(await markOf(bed as HostBed)).includes('"number":1}'),
      "the mark stays",
    );
  });

  it("has nothing to put back before its first declaration", async () => {
    bed = await raiseHostBed();
    expect(await bed.run(["recover", "--dir", bed.dir])).toMatchObject({
      code: 0,
      out: expect.stringContaining("it has no mark"),
    });
    const before = await readDisk(bed).catch(() => null);
    const ran = await recover(bed, writeRecovery(await documentOf(bed), [bed.rootKey]));
    expect(ran).toMatchObject({ code: 2, out: expect.stringContaining("refused (no-mark)") });
    expect(await readDisk(bed).catch(() => null)).toEqual(before);
  });
});
