import type { Digest } from "../../core/names.ts";

export interface UnpackLimits {
  readonly entries: number;
  readonly bytes: number;
}

export const unpackLimits: UnpackLimits = { entries: 200_000, bytes: 4 * 1024 ** 3 };

export interface UnpackArtifact {
  /** The tar: a file's path, or its bytes. */
  readonly from: string | AsyncIterable<Uint8Array>;
  /** A folder that does not exist yet; removed again when anything is wrong. */
  readonly into: string;
  /** Content digest: computed while unpacking and compared at the end. */
  readonly digest: Digest;
  readonly limits?: UnpackLimits;
  readonly signal?: AbortSignal;
}

/**
 * Unpacks what our packer packs, and nothing else: regular files with mode 644 or 755. Links, devices, setuid, `../`,
 * absolute and repeated names, sparse files and anything past the limits is an InputError, and nothing stays behind.
 */
export async function unpackArtifact(
  _options: UnpackArtifact,
): Promise<{ readonly files: number; readonly bytes: number }> {
  throw new Error("not written yet");
}
