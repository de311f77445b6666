import { createHash } from "node:crypto";
import { lstat, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";

export interface WheelFile {
  readonly path: string;
  readonly bytes: Buffer;
  readonly isExecutable: boolean;
}

export async function readWheelFiles(folder: string, paths: readonly string[]): Promise<WheelFile[]> {
  const files: WheelFile[] = [];
  for (const path of paths) {
    const full = join(folder, path);
    const isExecutable = ((await lstat(full)).mode & 0o100) !== 0;
    files.push({ path, bytes: await readFile(full), isExecutable });
  }
  return files;
}

/** Digests and sizes of all files of a distribution, sorted: a function of its content. */
export function describeRecord(files: readonly WheelFile[], infoFolder: string): string {
  const record = `${infoFolder}/RECORD`;
  const lines = files
    .filter(({ path }) => path !== record)
    .map(({ path, bytes }) => `${quote(path)},sha256=${sha256(bytes, "base64url")},${bytes.length}`);
  return [...lines.toSorted(), `${quote(record)},,`, ""].join("\n");
}

function quote(path: string): string {
  return /[",\r\n]/.test(path) ? `"${path.replaceAll('"', '""')}"` : path;
}

export interface RecordLine {
  readonly path: string;
  /** As `sha256=…`; empty where none is said. */
  readonly digest: string;
}

/** Lines of a RECORD, without those that lead out of the folder. */
export function readRecord(text: string): RecordLine[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [, quoted, plain, digest = ""] = /^(?:"((?:[^"]|"")*)"|([^,"]*)),([^,]*)/.exec(line) ?? [];
    const path = quoted?.replaceAll('""', '"') ?? plain ?? "";
    return path === "" || path.startsWith("/") || path.split("/").includes("..") ? [] : [{ path, digest }];
  });
}

export function readRecordPaths(text: string): string[] {
  return readRecord(text).map(({ path }) => path);
}

export function sha256(bytes: Buffer | string, encoding: "hex" | "base64url" = "hex"): string {
  return createHash("sha256").update(bytes).digest(encoding);
}

/** A zip without compression and without times, for pip to install from. Answers its sha256. */
export async function writeWheel(path: string, files: readonly WheelFile[]): Promise<string> {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const file of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const name = Buffer.from(file.path, "utf8");
    const common = describeEntry(file, name.length);
    const header = Buffer.concat([Buffer.from("PK\u0003\u0004"), common, name]);
    const mode = ((0o100_000 | (file.isExecutable ? 0o755 : 0o644)) << 16) >>> 0;
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(mode, 6);
    tail.writeUInt32LE(offset, 10);
    // Made on Unix, by version 2.0 of the format.
    central.push(Buffer.from("PK\u0001\u0002"), Buffer.from([20, 3]), common, tail, name);
    local.push(header, file.bytes);
    offset += header.length + file.bytes.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006", "latin1");
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  const bytes = Buffer.concat([...local, directory, end]);
  await writeFile(path, bytes);
  return sha256(bytes);
}

/** The 26 bytes that the file's own header and the directory share: 1980-01-01, stored, names in UTF-8. */
function describeEntry({ bytes }: WheelFile, nameLength: number): Buffer {
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(0x0800, 2);
  common.writeUInt16LE(0x21, 8);
  common.writeUInt32LE(crc32(bytes), 10);
  common.writeUInt32LE(bytes.length, 14);
  common.writeUInt32LE(bytes.length, 18);
  common.writeUInt16LE(nameLength, 22);
  return common;
}
