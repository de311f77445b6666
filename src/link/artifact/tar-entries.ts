import { InputError } from "../../core/errors.ts";

/**
 * The part of tar that our packer writes: regular files in ustar, a pax header before those whose name does not fit.
 * Reading knows nothing else, so there is nothing else to get wrong: links, devices, folders, sparse files are refused.
 */
export interface TarEntry {
  readonly name: string;
  readonly mode: "644" | "755";
  readonly bytes: number;
}

const block = 512;
/** 11 octal digits. */
const largest = 8 * 1024 ** 3 - 1;

/** Headers for one file; its bytes and `padding` follow. The same bytes for the same entry, everywhere. */
export function writeHeader(entry: TarEntry): Buffer {
  if (entry.bytes > largest) throw new InputError(`${entry.name} is larger than ${largest} bytes`);
  const name = Buffer.from(entry.name, "utf8");
  if (name.length <= 100) return ustar(name, entry.mode, entry.bytes, "0");
  const record = paxRecord("path", name);
  return Buffer.concat([
    ustar(Buffer.from("pax"), "644", record.length, "x"),
    record,
    padding(record.length),
    ustar(name.subarray(0, 100), entry.mode, entry.bytes, "0"),
  ]);
}

export function padding(bytes: number): Buffer {
  return Buffer.alloc((block - (bytes % block)) % block);
}

export const endOfTar = Buffer.alloc(2 * block);

function ustar(name: Buffer, mode: "644" | "755", bytes: number, type: "0" | "x"): Buffer {
  const header = Buffer.alloc(block);
  name.copy(header, 0);
  header.write(`0000${mode}\0`, 100, "latin1");
  header.write("0000000\0", 108, "latin1");
  header.write("0000000\0", 116, "latin1");
  header.write(`${bytes.toString(8).padStart(11, "0")}\0`, 124, "latin1");
  header.write("00000000000\0", 136, "latin1");
  header.write("        ", 148, "latin1");
  header.write(type, 156, "latin1");
  header.write("ustar\u000000", 257, "latin1");
  header.write(`${checksum(header).toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return header;
}

function checksum(header: Buffer): number {
  let sum = 0;
  for (let at = 0; at < block; at += 1) sum += at >= 148 && at < 156 ? 0x20 : (header[at] ?? 0);
  return sum;
}

/** `<length> <key>=<value>\n`, where the length counts itself. */
function paxRecord(key: string, value: Buffer): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), value, Buffer.from("\n")]);
  let length = rest.length + String(rest.length).length;
  if (String(length).length > String(rest.length).length) length += 1;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

export type TarHeader =
  | { readonly kind: "end" }
  | { readonly kind: "file"; readonly entry: TarEntry }
  | { readonly kind: "pax"; readonly bytes: number };

const typeNames: Record<string, string> = {
  "1": "a hard link",
  "2": "a symbolic link",
  "3": "a character device",
  "4": "a block device",
  "5": "a folder",
  "6": "a pipe",
  S: "a sparse file",
  L: "a GNU long name",
  K: "a GNU long link",
  g: "a global header",
};

/** Reads one block. `longName`: from the pax header before it. InputError for everything we do not write. */
export function readHeader(header: Buffer, longName: string | null): TarHeader {
  if (header.every((byte) => byte === 0)) return { kind: "end" };
  if (header.subarray(257, 265).toString("latin1") !== "ustar\u000000")
    throw new InputError("not a tar that this product packs");
  if (readOctal(header, 148, 6) !== checksum(header) || header.toString("latin1", 154, 156) !== "\0 ")
    throw new InputError("a tar header with a wrong checksum");
  const type = header.toString("latin1", 156, 157);
  const bytes = readOctal(header, 124, 11);
  if (type === "x") return { kind: "pax", bytes };
  const name = longName ?? readText(header, 0, 100);
  if (type !== "0")
    throw new InputError(
      `${JSON.stringify(name)} is ${typeNames[type] ?? `of type ${JSON.stringify(type)}`}: artifacts hold regular files only`,
    );
  if (header.subarray(345, 500).some((byte) => byte !== 0))
    throw new InputError(`${JSON.stringify(name)} has a name in two parts`);
  const mode = readOctal(header, 100, 7).toString(8);
  if (mode !== "644" && mode !== "755")
    throw new InputError(`${JSON.stringify(name)} has mode ${mode}: only 644 and 755 are allowed`);
  return { kind: "file", entry: { name, mode, bytes } };
}

/** The name in a pax header's body; nothing else may be in it. */
export function readLongName(body: Buffer): string {
  const space = body.indexOf(0x20);
  const length = Number(body.toString("latin1", 0, Math.max(space, 0)));
  if (length !== body.length || body.toString("latin1", space + 1, space + 6) !== "path=" || body.at(-1) !== 0x0a) {
    throw new InputError("a pax header that holds more than a name");
  }
  return readText(body, space + 6, body.length - 1);
}

function readOctal(header: Buffer, at: number, digits: number): number {
  const text = header.toString("latin1", at, at + digits);
  if (!/^[0-7]+$/.test(text)) throw new InputError("a tar header with a number that is not octal");
  return Number.parseInt(text, 8);
}

function readText(buffer: Buffer, from: number, to: number): string {
  const field = buffer.subarray(from, to);
  const end = field.indexOf(0);
  const bytes = end === -1 ? field : field.subarray(0, end);
  const text = bytes.toString("utf8");
  if (!Buffer.from(text, "utf8").equals(bytes)) throw new InputError("a name that is not UTF-8");
  return text;
}
