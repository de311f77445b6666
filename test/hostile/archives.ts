import { createHash } from "node:crypto";
import { contentDigest, type ContentEntry } from "../../src/link/artifact/content-digest.ts";

/** A tar that our packer would never write (case 49), with the digest that its files would have if it were let through. */
export interface HostileArchive {
  readonly situation: string;
  readonly chunks: () => Iterable<Uint8Array>;
  readonly digest: string;
}

interface Entry {
  readonly path: string;
  /** Tar's type flag: 0 file, 1 hard link, 2 symbolic link, 3 and 4 devices, 5 folder, 6 pipe, S sparse, x pax, L long name. */
  readonly type?: string;
  readonly link?: string;
  readonly mode?: number;
  readonly body?: string;
  /** Said in the header instead of the body's own size. */
  readonly saidBytes?: number;
  readonly badChecksum?: boolean;
}

const block = 512;

function header(entry: Entry): Buffer {
  const bytes = Buffer.alloc(block);
  const put = (text: string, at: number, length: number): void => {
    bytes.write(text.slice(0, length), at, "latin1");
  };
  const size = entry.saidBytes ?? Buffer.byteLength(entry.body ?? "");
  put(entry.path, 0, 100);
  put(`${(entry.mode ?? 0o644).toString(8).padStart(7, "0")}\0`, 100, 8);
  put("0000000\0", 108, 8);
  put("0000000\0", 116, 8);
  if (size < 8 ** 11) put(`${size.toString(8).padStart(11, "0")}\0`, 124, 12);
  else {
    bytes.writeUInt8(0x80, 124);
    bytes.writeBigUInt64BE(BigInt(size), 128);
  }
  put("00000000000\0", 136, 12);
  put("        ", 148, 8);
  put(entry.type ?? "0", 156, 1);
  put(entry.link ?? "", 157, 100);
  put("ustar\u000000", 257, 8);
  const sum = bytes.reduce((total, byte) => total + byte, 0) + (entry.badChecksum === true ? 1 : 0);
  put(`${sum.toString(8).padStart(6, "0")}\0 `, 148, 8);
  return bytes;
}

function* tar(entries: Iterable<Entry>, end: Buffer = Buffer.alloc(2 * block)): Iterable<Uint8Array> {
  for (const entry of entries) {
    yield header(entry);
    const body = Buffer.from(entry.body ?? "", "utf8");
    if (body.length > 0) yield Buffer.concat([body, Buffer.alloc((block - (body.length % block)) % block)]);
  }
  yield end;
}

function contentOf(entry: Entry): ContentEntry {
  const body = Buffer.from(entry.body ?? "", "utf8");
  const mode = ((entry.mode ?? 0o644) & 0o111) === 0 ? "644" : "755";
  return { path: entry.path, mode, bytes: body.length, sha256: createHash("sha256").update(body).digest("hex") };
}

function archive(situation: string, entries: readonly Entry[], end?: Buffer): HostileArchive {
  const files = entries.filter((entry) => (entry.type ?? "0") === "0");
  return { situation, chunks: () => tar(entries, end), digest: contentDigest(files.map(contentOf)) };
}

/** A pax header's record: its own length, in decimal, is part of it. */
function record(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const length = [1, 2, 3, 4]
    .map((digits) => rest.length + digits)
    .find((sum) => String(sum).length + rest.length === sum);
  return `${length ?? 0}${rest}`;
}

const x: Entry = { path: "x", body: "x" };

export const goodArchive = archive("a good one", [x, { path: "bin/run", body: "y", mode: 0o755 }]);

export const hostileArchives: readonly HostileArchive[] = [
  archive("a path upward", [{ path: "../x", body: "x" }]),
  archive("a path upward inside", [{ path: "a/../../x", body: "x" }]),
  archive("an absolute path", [{ path: "/tmp/mesh-hostile-absolute", body: "x" }]),
  archive("an empty part", [{ path: "a//x", body: "x" }]),
  archive("a dot for a part", [{ path: "a/./x", body: "x" }]),
  archive("a back-slash", [{ path: "..\\x", body: "x" }]),
  archive("no name", [{ path: "", body: "x" }]),
  archive("a symbolic link", [{ path: "a", type: "2", link: "/etc/passwd" }, x]),
  archive("a symbolic link out, then a file through it", [
    { path: "a", type: "2", link: ".." },
    { path: "a/mesh-hostile-through", body: "x" },
  ]),
  archive("a hard link", [{ path: "a", type: "1", link: "/etc/passwd" }, x]),
  archive("a hard link to a file in it", [x, { path: "a", type: "1", link: "x" }]),
  archive("a character device", [{ path: "a", type: "3" }, x]),
  archive("a block device", [{ path: "a", type: "4" }, x]),
  archive("a pipe", [{ path: "a", type: "6" }, x]),
  archive("a sparse file", [{ path: "a", type: "S", body: "x" }, x]),
  archive("an unknown type", [{ path: "a", type: "Z", body: "x" }, x]),
  archive("the setuid bit", [{ path: "a", body: "x", mode: 0o4755 }]),
  archive("the setgid bit", [{ path: "a", body: "x", mode: 0o2755 }]),
  archive("a file that anybody may write", [{ path: "a", body: "x", mode: 0o666 }]),
  archive("the same name twice", [x, x]),
  archive("a file where a folder was", [
    { path: "a/x", body: "x" },
    { path: "a", body: "x" },
  ]),
  archive("a folder where a file was", [
    { path: "a", body: "x" },
    { path: "a/x", body: "x" },
  ]),
  archive("another path in a pax header", [{ path: "h", type: "x", body: record("path", "../x") }, x]),
  archive("a link in a pax header", [
    { path: "h", type: "x", body: record("linkpath", "/etc") },
    { path: "a", type: "2" },
  ]),
  archive("a global pax header", [{ path: "h", type: "g", body: record("path", "../x") }, x]),
  archive("a long name upward", [{ path: "././@LongLink", type: "L", body: "../x\0" }, x]),
  archive("a wrong checksum", [{ ...x, badChecksum: true }]),
  archive("more said than there is", [{ ...x, saidBytes: 4096 }]),
  archive("eight exabytes said", [{ ...x, saidBytes: 2 ** 62 }]),
  archive("no end", [x], Buffer.alloc(0)),
  archive("half a header", [x], Buffer.alloc(100, 0x61)),
  archive("rubbish for an end", [x], Buffer.alloc(2 * block, 0x61)),
  {
    situation: "no tar at all",
    chunks: () => [Buffer.from("hello ".repeat(1000))],
    digest: contentDigest([]),
  },
  {
    situation: "more entries than the limit",
    *chunks() {
      for (let number = 0; number < 1_000_000; number += 1) yield header({ path: `f${number}` });
    },
    digest: contentDigest([]),
  },
  {
    situation: "a bomb",
    *chunks() {
      yield header({ path: "a", saidBytes: 2 ** 40 });
      const zeros = Buffer.alloc(1024 * 1024);
      for (let megabyte = 0; megabyte < 100_000; megabyte += 1) yield zeros;
    },
    digest: contentDigest([]),
  },
];
