import {
  mkdir,
  mkdtemp,
  lutimes,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
  chmod,
  utimes,
} from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openArtifactStore } from "../../src/build/artifact-store.ts";
import { addToIndex, withIndex } from "../../src/build/oci-layout.ts";
import { packFolder } from "../../src/build/pack.ts";
import { InputError } from "../../src/core/errors.ts";
import { manifestSchema } from "../../src/core/manifest.ts";
import { unpackArtifact } from "../../src/link/artifact/unpack.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const manifest = manifestSchema.parse({ module: "core", language: "files" });

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield await Promise.resolve(Buffer.from(text));
}

async function readAll(stream: Readable): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of stream as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}

describe("the artifact store", () => {
  it("names bytes by their digest and gives ranges of them", async () => {
    const store = await openArtifactStore(await createTemporaryFolder());
    const { digest, bytes } = await store.putBlob(chunks("hello ", "world"));
    expect({ digest, bytes }).toEqual({
      digest: "sha256:b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
      bytes: 11,
    });
    expect(await store.statBlob(digest)).toEqual({ bytes: 11 });
    expect(await readAll(await store.openBlob(digest))).toBe("hello world");
    expect(await readAll(await store.openBlob(digest, { start: 6 }))).toBe("world");
    expect(await readAll(await store.openBlob(digest, { start: 0, end: 4 }))).toBe("hello");
  });

  it("says of what it does not have that it does not, and takes no path for a digest (case 52)", async () => {
    const store = await openArtifactStore(await createTemporaryFolder());
    const absent = `sha256:${"0".repeat(64)}`;
    expect(await store.hasBlob(absent)).toBe(false);
    await expect(store.openBlob(absent)).rejects.toThrow(InputError);
    for (const digest of ["../../etc/passwd", "sha256:../x", "sha256:", ""])
      await expect(store.openBlob(digest)).rejects.toThrow(/digest/);
  });

  it("waits for a collection that has moved a blob aside to look at it again (R45)", async () => {
    const dir = await createTemporaryFolder();
    const store = await openArtifactStore(dir);
    const folder = await createTemporaryFolder();
    await writeFile(join(folder, "a.txt"), "a");
    const artifact = { module: "core", ...(await packFolder({ folder, store })) };
    const blob = join(dir, "blobs", "sha256", artifact.blob.slice("sha256:".length));
    const aside = join(dir, "incoming", "collect-1");
    const puts: Promise<void>[] = [];
    await withIndex(dir, async (entries) => {
      await rename(blob, aside);
      const put = store.putArtifact(artifact, manifest);
      puts.push(put);
      // It has asked for the blob, and has no answer yet, once it asks for the lock that is held here.
      await Promise.race([put.catch(() => undefined), setImmediate()]);
      await stat(aside);
      await rename(aside, blob);
      return entries;
    });
    await Promise.all(puts);
    expect(await store.hasBlob(artifact.blob)).toBe(true);
  });

  it("keeps nothing of a blob whose writer failed", async () => {
    const dir = await createTemporaryFolder();
    const store = await openArtifactStore(dir);
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield* chunks("half");
      throw new Error("gone");
    }
    await expect(store.putBlob(failing())).rejects.toThrow("gone");
    expect(await readdir(join(dir, "incoming"))).toEqual([]);
    expect(await readdir(join(dir, "blobs", "sha256"))).toEqual([]);
  });

  it("takes over the index's lock of a writer that was killed, and leaves nothing of it", async () => {
    const dir = await createTemporaryFolder();
    await openArtifactStore(dir);
    const lock = join(dir, "index.json.lock");
    await writeFile(lock, "");
    await utimes(lock, 0, 0);
    const digest = `sha256:${"a".repeat(64)}`;
    const writers = Array.from({ length: 5 }, () =>
      addToIndex(dir, { mediaType: "x", digest, size: 1, annotations: {} }),
    );
    await Promise.all(writers);
    expect((await readdir(dir)).toSorted()).toEqual(["blobs", "incoming", "index.json", "oci-layout"]);
    expect(await readFile(join(dir, "index.json"), "utf8")).toContain(digest);
  });

  it("is written once for all that is to be added while another one has it (case 6)", async () => {
    const dir = await createTemporaryFolder();
    await openArtifactStore(dir);
    const entry = (at: number) => {
      return { mediaType: "x", digest: `sha256:${String(at).padStart(64, "0")}`, size: 1, annotations: {} };
    };
    const added: Promise<void>[] = [];
    await withIndex(dir, async (entries) => {
      // Twice each, as two builds that come out the same.
      for (let at = 0; at < 40; at += 1) added.push(addToIndex(dir, entry(at % 20)));
      return entries;
    });
    // One writing is one promise.
    expect(new Set(added).size).toBe(1);
    await Promise.all(added);
    await addToIndex(dir, entry(20));
    const { manifests } = JSON.parse(await readFile(join(dir, "index.json"), "utf8")) as { manifests: unknown[] };
    expect(manifests).toHaveLength(21);
  });

  it("nothing is added, and each is told, where the index cannot be read; it is tried anew by the next", async () => {
    const dir = await createTemporaryFolder();
    await openArtifactStore(dir);
    const entry = { mediaType: "x", digest: `sha256:${"a".repeat(64)}`, size: 1, annotations: {} };
    const good = await readFile(join(dir, "index.json"));
    await writeFile(join(dir, "index.json"), "{");
    const said = await Promise.allSettled([addToIndex(dir, entry), addToIndex(dir, entry)]);
    expect(said.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await writeFile(join(dir, "index.json"), good);
    await addToIndex(dir, entry);
    expect(await readFile(join(dir, "index.json"), "utf8")).toContain(entry.digest);
  });

  it("a writer that stood still until others took the index over loses nothing of theirs, and adds its own", async () => {
    const dir = await createTemporaryFolder();
    await openArtifactStore(dir);
    const lock = join(dir, "index.json.lock");
    const entry = (digit: string) => ({
      mediaType: "x",
      digest: `sha256:${digit.repeat(64)}`,
      size: 1,
      annotations: {},
    });
    let runs = 0;
    await withIndex(dir, async (entries) => {
      runs += 1;
      if (runs === 1) {
        await lutimes(lock, 0, 0);
        await addToIndex(dir, entry("b"));
      }
      return [...entries, entry("a")];
    });
    const { manifests } = JSON.parse(await readFile(join(dir, "index.json"), "utf8")) as {
      manifests: { digest: string }[];
    };
    expect(manifests.map(({ digest }) => digest.at(-1))).toEqual(["b", "a"]);
    expect(runs).toBe(2);
    expect((await readdir(dir)).toSorted()).toEqual(["blobs", "incoming", "index.json", "oci-layout"]);
  });

  it("is an OCI image layout that twenty writers can add to at once", async () => {
    const dir = await createTemporaryFolder();
    const stores = await Promise.all(Array.from({ length: 4 }, () => openArtifactStore(dir)));
    await Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        const store = stores[at % 4];
        if (store === undefined) throw new Error("no store");
        const blob = await store.putBlob(chunks(`blob ${at % 10}`));
        await store.putArtifact(
          { module: "core", digest: blob.digest, blob: blob.digest, blobBytes: blob.bytes, files: 1 },
          manifest,
        );
      }),
    );
    expect(JSON.parse(await readFile(join(dir, "oci-layout"), "utf8"))).toEqual({ imageLayoutVersion: "1.0.0" });
    const index = JSON.parse(await readFile(join(dir, "index.json"), "utf8")) as {
      manifests: { digest: string; size: number }[];
    };
    expect(index.manifests).toHaveLength(10);
    for (const entry of index.manifests) {
      const store = await openArtifactStore(dir);
      const text = await readAll(await store.openBlob(entry.digest));
      expect(Buffer.byteLength(text)).toBe(entry.size);
      const image = JSON.parse(text) as { config: { digest: string }; layers: { digest: string }[] };
      for (const blob of [image.config, ...image.layers]) expect(await store.hasBlob(blob.digest)).toBe(true);
    }
  });
});

const segment = fc
  .string({ unit: fc.constantFrom("a", "B", "é", "✓", ".x", "-", " ", "0"), minLength: 1, maxLength: 40 })
  .filter((text) => text !== "." && text !== "..");
const paths = fc.array(segment, { minLength: 1, maxLength: 8 }).map((segments) => segments.join("/"));

describe("packing and unpacking", () => {
  it("gives back what was packed, and the same digest for the same files (R10)", async () => {
    const folder = await createTemporaryFolder();
    const store = await openArtifactStore(join(folder, "store"));
    const tree = fc.dictionary(paths, fc.record({ text: fc.string({ maxLength: 2000 }), executable: fc.boolean() }), {
      maxKeys: 8,
    });
    await fc.assert(
      fc.asyncProperty(tree, async (files) => {
        const entries = Object.entries(files).filter(
          ([path]) =>
            !Object.keys(files).some(
              (other) => other !== path && (other.startsWith(`${path}/`) || path.startsWith(`${other}/`)),
            ),
        );
        const write = async (order: typeof entries, time: number): Promise<string> => {
          const target = await mkdtemp(join(folder, "tree-"));
          for (const [path, { text, executable }] of order) {
            await mkdir(join(target, path, ".."), { recursive: true });
            await writeFile(join(target, path), text);
            await chmod(join(target, path), executable ? 0o700 : 0o600);
            await utimes(join(target, path), time, time);
          }
          return target;
        };
        const first = await packFolder({ folder: await write(entries, 1), store });
        expect(await packFolder({ folder: await write(entries.toReversed(), 2_000_000_000), store })).toEqual(first);
        const into = await mkdtemp(join(folder, "into-"));
        await rm(into, { recursive: true });
        await unpackArtifact({ from: await store.openBlob(first.blob), into, digest: first.digest });
        for (const [path, { text }] of entries)
          expect(await readFile(join(into, path), "utf8")).toBe(Buffer.from(text).toString("utf8"));
        expect(await packFolder({ folder: into, store })).toEqual(first);
      }),
      { numRuns: 40 },
    );
  }, 60_000);

  it("refuses a link instead of following it", async () => {
    const folder = await createTemporaryFolder();
    const store = await openArtifactStore(join(folder, "store"));
    await mkdir(join(folder, "tree"));
    await symlink("/etc/passwd", join(folder, "tree", "x"));
    await expect(packFolder({ folder: join(folder, "tree"), store })).rejects.toThrow(/neither a file nor a folder/);
  });

  it("notices one changed bit anywhere, and leaves nothing behind (R45)", async () => {
    const folder = await createTemporaryFolder();
    const store = await openArtifactStore(join(folder, "store"));
    await mkdir(join(folder, "tree", "a"), { recursive: true });
    await writeFile(join(folder, "tree", "a", "b"), "hello");
    const packed = await packFolder({ folder: join(folder, "tree"), store });
    const tar = Buffer.from(await readAll(await store.openBlob(packed.blob)), "utf8");
    // The end of a tar is zeros twice; what comes behind the first is never read.
    for (let at = 0; at < tar.length - 512; at += 1) {
      const bent = Buffer.from(tar);
      bent[at] = (bent[at] ?? 0) ^ 0x10;
      const into = join(folder, `bent-${at}`);
      await expect(unpackArtifact({ from: oneChunk(bent), into, digest: packed.digest })).rejects.toThrow(InputError);
    }
    expect((await readdir(folder)).toSorted()).toEqual(["store", "tree"]);
  });
});

async function* oneChunk(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}
