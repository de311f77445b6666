const slash = Buffer.from("/");

/** A path of bytes: a build may give its files names that are no text, and the text made of one names nothing. */
export function joinRaw(folder: Buffer, name: Buffer): Buffer {
  return Buffer.concat([folder, slash, name]);
}
