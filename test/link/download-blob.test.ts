import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Digest } from "../../src/core/names.ts";
import type { HostClient } from "../../src/link/host-client.ts";
import { hostKey } from "./support/fixtures.ts";
import { failureOf, raiseGateway, type Raised } from "./support/raise-gateway.ts";

const digestOf = (bytes: Uint8Array): Digest => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

let raised: Raised;
let client: HostClient;
beforeEach(async () => {
  raised = await raiseGateway();
  raised.records.hosts.set("node-a", { sign: hostKey.publicKey, seal: "age1" });
  client = raised.client("node-a", hostKey);
});
afterEach(() => raised.close());

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mesh-link-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("blobs (R45)", () => {
  const blob = randomBytes(300_000);
  const digest = digestOf(blob);
  const file = () => join(folder, randomBytes(6).toString("hex"));

  it("come whole, and from a byte on", async () => {
    raised.records.blobs.set(digest, blob);
    const whole = file();
    expect(await client.downloadBlob(digest, whole, { maxBytes: blob.length })).toEqual({ bytes: blob.length });
    expect((await readFile(whole)).equals(blob)).toBe(true);
    const asked: number[] = [];
    const openBlob = raised.records.openBlob.bind(raised.records);
    raised.records.openBlob = (name, range) => {
      asked.push(range.start);
      return openBlob(name, range);
    };
    const part = file();
    await writeFile(part, blob.subarray(0, 123_456));
    await client.downloadBlob(digest, part, { fromByte: 123_456, maxBytes: blob.length });
    expect((await readFile(part)).equals(blob)).toBe(true);
    expect(asked).toEqual([123_456]);
  });

  it("are taken from the beginning when what is here is longer than they are", async () => {
    raised.records.blobs.set(digest, blob);
    const long = file();
    await writeFile(long, randomBytes(400_000));
    await client.downloadBlob(digest, long, { fromByte: 400_000, maxBytes: blob.length });
    expect((await readFile(long)).equals(blob)).toBe(true);
  });

  it("with another digest are removed, and refused", async () => {
    raised.records.blobs.set(digest, randomBytes(1000));
    const target = file();
    const failure = await failureOf(client.downloadBlob(digest, target, { maxBytes: 10_000 }));
    expect(failure).toMatchObject({ name: "RefusedError", reason: "digest" });
    await expect(stat(target)).rejects.toThrow(/ENOENT/);
    // What was there before and was wrong does not stay either.
    raised.records.blobs.set(digest, blob);
    await writeFile(target, randomBytes(1000));
    await failureOf(client.downloadBlob(digest, target, { fromByte: 1000, maxBytes: blob.length }));
    await expect(stat(target)).rejects.toThrow(/ENOENT/);
  });

  it("longer than declared are not begun, missing ones are refused, forbidden ones are not there", async () => {
    raised.records.blobs.set(digest, blob);
    const target = file();
    expect(await failureOf(client.downloadBlob(digest, target, { maxBytes: 1000 }))).toMatchObject({ reason: "size" });
    await expect(stat(target)).rejects.toThrow(/ENOENT/);
    const none = digestOf(Buffer.from("none"));
    expect(await failureOf(client.downloadBlob(none, target, { maxBytes: 1 }))).toMatchObject({ status: 404 });
    raised.records.mayFetchBlob = async () => false;
    const failure = await failureOf(client.downloadBlob(digest, target, { maxBytes: blob.length }));
    expect(failure).toMatchObject({ status: 404, reason: "no such blob" });
  });

  it("are never an excuse for a file system that fails: its own error comes out", async () => {
    raised.records.blobs.set(digest, blob);
    const nowhere = join(folder, "no", "such", "folder");
    const failure = await failureOf(client.downloadBlob(digest, nowhere, { maxBytes: blob.length }));
    expect(failure).toMatchObject({ code: "ENOENT" });
  });

  it.each([
    ["bytes=0-0", 206, "bytes 0-0/10"],
    ["bytes=5-", 206, "bytes 5-9/10"],
    ["bytes=5-100", 206, "bytes 5-9/10"],
    ["bytes=10-", 416, "bytes */10"],
    ["bytes=5-4", 416, "bytes */10"],
    ["bytes=-5", 416, "bytes */10"],
    ["bytes=0-1,3-4", 416, "bytes */10"],
    ["lines=0-1", 416, "bytes */10"],
  ])("answer the range %s with %d", async (range, status, contentRange) => {
    const ten = Buffer.from("0123456789");
    raised.records.blobs.set(digestOf(ten), ten);
    const path = `/v1/blobs/${digestOf(ten)}`;
    const answer = await raised.ask("GET", path, { ...raised.prove("node-a", hostKey, "GET", path), range });
    expect([answer.status, answer.headers["content-range"]]).toEqual([status, contentRange]);
  });

  it.each(["x", "sha256:..%2F..%2Fetc%2Fpasswd", `sha256:${"A".repeat(64)}`, `sha512:${"a".repeat(64)}`])(
    "are asked for by digest only: %s",
    async (name) => {
      const path = `/v1/blobs/${name}`;
      expect((await raised.ask("GET", path, raised.prove("node-a", hostKey, "GET", path))).status).toBe(400);
    },
  );
});
