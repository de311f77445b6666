import { InputError } from "../../core/errors.ts";

/** A tar's bytes, taken in the pieces that its headers name. */
export interface BlockReader {
  take(bytes: number): Promise<Buffer>;
  stream(bytes: number): AsyncIterable<Buffer>;
  /** The rest of the block that a body of this size ends in. */
  skip(bytes: number): Promise<void>;
  close(): Promise<void>;
}

export function createBlockReader(source: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): BlockReader {
  const chunks = source[Symbol.asyncIterator]();
  let held = Buffer.alloc(0);
  const fill = async (): Promise<void> => {
    signal?.throwIfAborted();
    const next = await chunks.next();
    if (next.done === true) throw new InputError("the artifact ends in the middle");
    held = Buffer.concat([held, next.value]);
  };
  async function* stream(bytes: number): AsyncGenerator<Buffer> {
    for (let missing = bytes; missing > 0;) {
      if (held.length === 0) await fill();
      const piece = held.subarray(0, missing);
      held = held.subarray(piece.length);
      missing -= piece.length;
      yield piece;
    }
  }
  const take = async (bytes: number): Promise<Buffer> => {
    const pieces: Buffer[] = [];
    for await (const piece of stream(bytes)) pieces.push(piece);
    return Buffer.concat(pieces);
  };
  return {
    take,
    stream,
    skip: async (bytes) => {
      const rest = await take((512 - (bytes % 512)) % 512);
      if (rest.some((byte) => byte !== 0)) throw new InputError("padding that is not empty");
    },
    close: async () => {
      await chunks.return?.();
    },
  };
}
