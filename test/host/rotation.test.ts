import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { generateSigningKey, type SigningKey } from "../../src/link/keys.ts";
import { createRoot, type Root } from "../../src/link/root.ts";
import { eventually, raiseHostBed, readText, textFile, type HostBed } from "../support/host-bed.ts";

let bed: HostBed | null = null;

afterEach(async () => {
  await bed?.close();
  bed = null;
});

const day = 24 * 3_600_000;
const listed = (key: SigningKey, role: "root" | "declaration") => ({
  publicKey: key.publicKey,
  roles: [role],
  notBefore: new Date(Date.now() - day).toISOString(),
  notAfter: new Date(Date.now() + day).toISOString(),
});

/** Publishes root `version` with this declaration key and no other. */
function publish(of: HostBed, version: number, key: SigningKey, changes: Partial<Root> = {}): void {
  const root: Root = {
    ...of.firstRoot,
    version,
    keys: [listed(of.rootKey, "root"), listed(key, "declaration")],
    ...changes,
  };
  of.raised.records.roots.set(version, createRoot(root, [of.rootKey]));
}

async function sendBy(of: HostBed, number: number, key: SigningKey, text: string): Promise<void> {
  const content = { node: "node-a", builds: {}, resources: [textFile("settings", text)] };
  const declaration = await of.declaration({ number, content });
  of.raised.records.send("node-a", { epoch: 1, number }, of.envelope(declaration, key));
}

describe("a host whose mesh changes its keys", { timeout: 60_000 }, () => {
  it("walks to a key that it does not know, three roots on, and applies what that key signed (R41)", async () => {
    bed = await raiseHostBed();
    await bed.send(1, [textFile("settings", "one")]);
    bed.start();
    await bed.report(({ outcome }) => outcome === "applied", "applied");
    await bed.end("SIGTERM");
    const [second, third] = [generateSigningKey(), generateSigningKey()];
    publish(bed, 2, second);
    publish(bed, 3, second, { threshold: 1 });
    publish(bed, 4, third);
    await sendBy(bed, 2, third, "two");
    bed.start();
    await bed.report((report) => report.has?.number === 2 && report.outcome === "applied", "applied the second");
    expect(await readText(path.join(bed.root, "etc/web/settings"))).toBe("two");
    expect(await readFile(path.join(bed.dir, "keys/root.dsse"))).toEqual(bed.raised.records.roots.get(4));
  });

  it("refuses a key that was taken out of the root, and says so; what it accepted before stays (R44)", async () => {
    bed = await raiseHostBed();
    await bed.send(1, [textFile("settings", "one")]);
    bed.start();
    await bed.report(({ outcome }) => outcome === "applied", "applied");
    await bed.end("SIGTERM");
    publish(bed, 2, generateSigningKey());
    // By the key that the host was enrolled with, and that root 2 does not list any more.
    await bed.send(2, [textFile("settings", "by a stolen key")]);
    bed.start();
    const report = await bed.report(({ refusals }) => refusals.length > 0, "refused");
    expect(report.refusals[0]).toMatchObject({ check: "key", message: expect.stringContaining("not known here") });
    expect(report.has).toEqual({ epoch: 1, number: 1 });
    await bed.end("SIGTERM");
    // With the controller away it comes up from what it kept, though no root lists the key of that any more.
    await bed.raised.gateway.close();
    bed.start();
    await eventually(() => (bed?.log().split("host started").length ?? 0) > 3, "a third start");
    expect(await readText(path.join(bed.root, "etc/web/settings"))).toBe("one");
    expect(bed.log()).not.toContain("the kept declaration cannot be used");
  });

  it("says which root it refuses and why, and goes on by the one that it has", async () => {
    bed = await raiseHostBed();
    const stranger = generateSigningKey();
    const keys = [listed(stranger, "root"), listed(generateSigningKey(), "declaration")];
    const evil: Root = { ...bed.firstRoot, version: 2, keys };
    bed.raised.records.roots.set(2, createRoot(evil, [stranger]));
    const before = await readFile(path.join(bed.dir, "keys/root.dsse"));
    await bed.send(1, [textFile("settings", "one")]);
    bed.start();
    const report = await bed.report(
      ({ outcome, refusals }) => outcome === "applied" && refusals.length > 0,
      "applied, and refused",
    );
    expect(report.refusals[0]).toMatchObject({
      check: "root",
      message: expect.stringContaining("root 2: threshold-before: root 2 is not signed by the keys of root 1"),
    });
    expect(await readFile(path.join(bed.dir, "keys/root.dsse"))).toEqual(before);
  });
});
