import { type ObjectId, objectIdSchema } from "../core/names.ts";
import { DamagedCloneError } from "./bare-clone.ts";
import { streamGit } from "./git.ts";
import type { Local } from "./git-objects.ts";
import { keepBlob, keptBlob, sizesOf } from "./kept-objects.ts";
import type { BlobReading } from "./repository.ts";

export async function* readBlobs(
  local: Local,
  blobs: readonly ObjectId[],
): AsyncGenerator<BlobReading, void, undefined> {
  if (blobs.length === 0) return;
  for (const blob of blobs) objectIdSchema.parse(blob);
  if (blobs.length <= readAlone) return yield* readFewBlobs(local, blobs);
  const reader = createReader(
    streamGit({
      ...local,
      waitMs: local.waitMs + blobs.length * 10,
      args: ["cat-file", "--batch", "--buffer"],
      input: nameLines(blobs),
    }),
  );
  for (const blob of blobs) {
    const header = (reader.lineHere() ?? (await reader.line())).toString("latin1");
    const found = /^([0-9a-f]+) (\w+) (\d+)$/.exec(header);
    if (found === null || found[1] !== blob || found[2] !== "blob")
      throw new DamagedCloneError(`clone ${local.dir} has no blob ${blob}: ${header}`);
    const size = Number(found[3]);
    const bytes = reader.takeHere(size) ?? (await reader.take(size));
    if (reader.takeHere(1) === null) await reader.take(1);
    yield { blob, bytes };
  }
  await reader.end();
}

/** More are streamed by a process of their own. */
const readAlone = 50;

/** So many bytes are asked for at once, and any one blob: the caller bounds each of them, and not all together. */
const bytesTogether = 4 * 1024 * 1024;

async function* readFewBlobs(local: Local, blobs: readonly ObjectId[]): AsyncGenerator<BlobReading, void, undefined> {
  const { session } = local;
  const held = new Map(blobs.map((blob) => [blob, keptBlob(session, blob)]));
  const unknown = blobs.filter((blob) => held.get(blob) === null);
  const sizes = await sizesOf(session, unknown);
  let asked = 0;
  let read: Buffer[] = [];
  for (const blob of blobs) {
    const kept = held.get(blob) ?? null;
    if (kept === null && read.length === 0) {
      const some = takeTogether(unknown.slice(asked), sizes);
      asked += some.length;
      read = await readTogether(local, some, sizes);
    }
    const bytes = kept ?? read.shift();
    if (bytes === undefined) throw new Error(`blob ${blob} was to be read`);
    yield { blob, bytes };
  }
}

/** The first of them, as far as they fit together, and one at the least. */
function takeTogether(blobs: readonly ObjectId[], sizes: ReadonlyMap<ObjectId, number>): readonly ObjectId[] {
  let bytes = 0;
  const end = blobs.findIndex((blob, at) => (bytes += sizes.get(blob) ?? 0) > bytesTogether && at > 0);
  return end === -1 ? blobs : blobs.slice(0, end);
}

/** Their bytes, in this order. */
async function readTogether(
  { dir, session }: Local,
  blobs: readonly ObjectId[],
  sizes: ReadonlyMap<ObjectId, number>,
): Promise<Buffer[]> {
  const bytes = blobs.reduce((sum, blob) => sum + (sizes.get(blob) ?? 0), 0);
  const read = await session.read(blobs, Math.max(bytes, bytesTogether));
  return blobs.map((blob, at) => {
    const found = read[at] ?? null;
    if (found?.type !== "blob" || found.content === null)
      throw new DamagedCloneError(`clone ${dir} has no blob ${blob}`);
    keepBlob(session, blob, found.content);
    return found.content;
  });
}

/** A write for each of thousands would be most of what they cost. */
const namesPerWrite = 500;

function* nameLines(blobs: readonly ObjectId[]): Generator<string> {
  for (let at = 0; at < blobs.length; at += namesPerWrite) yield `${blobs.slice(at, at + namesPerWrite).join("\n")}\n`;
}

interface Reader {
  /** Without waiting for git, where it is here already; else null. */
  lineHere(): Buffer | null;
  takeHere(bytes: number): Buffer | null;
  line(): Promise<Buffer>;
  take(bytes: number): Promise<Buffer>;
  end(): Promise<void>;
}

function createReader(source: AsyncGenerator<Buffer, void, undefined>): Reader {
  let held: Buffer = Buffer.alloc(0);
  const more = async (): Promise<boolean> => {
    const next = await source.next();
    if (next.done === true) return false;
    held = held.length === 0 ? next.value : Buffer.concat([held, next.value]);
    return true;
  };
  const cut = (bytes: number, skip: number): Buffer => {
    const part = held.subarray(0, bytes);
    held = held.subarray(bytes + skip);
    return part;
  };
  const lineHere = (): Buffer | null => {
    const at = held.indexOf(0x0a);
    return at === -1 ? null : cut(at, 1);
  };
  return {
    lineHere,
    takeHere: (bytes) => (held.length < bytes ? null : cut(bytes, 0)),
    line: async () => {
      let line = lineHere();
      while (line === null) {
        if (!(await more())) throw new Error("git ended in the middle of a line");
        line = lineHere();
      }
      return line;
    },
    take: async (bytes) => {
      // Collected in pieces: joining at each chunk would copy a large blob over and over.
      const pieces: Buffer[] = [];
      let missing = bytes;
      while (missing > 0) {
        if (held.length === 0 && !(await more())) throw new Error("git ended in the middle of a blob");
        const piece = cut(Math.min(missing, held.length), 0);
        pieces.push(piece);
        missing -= piece.length;
      }
      return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
    },
    end: async () => {
      // Lets git's exit code be seen.
      while (await more()) held = Buffer.alloc(0);
    },
  };
}
