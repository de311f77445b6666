import { randomBytes } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { chmod, lstat, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { createConnection, type Server, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { whenThere } from "../core/errors.ts";

/** The kernel takes no longer address of a socket: 108 bytes with the zero at its end on Linux, 104 elsewhere. */
const addressBytesLimit = 103;
/** Left behind by a process that was killed between making a socket and putting it in its place. */
const halfAgeMs = 60_000;

export interface PlacedSocket {
  /** Whether the socket in that place is still this one. */
  isInPlace(): Promise<boolean>;
  /** Takes it away, and no other that took its place. */
  remove(): Promise<void>;
}

/**
 * Listens on `folder/name`: the folder is 0700, the socket 0600, and both are this process's own. The socket is put in its
 * place at once, over one that somebody left there: who connects meets the one or the other. Throws where the folder is
 * another user's, or is none.
 */
export async function listenInFolder(server: Server, folder: string, name: string): Promise<PlacedSocket> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await lstat(folder);
  if (!found.isDirectory() || found.uid !== ownUser(found))
    throw new Error(`${folder} is no folder of this process's user: move it away, and it is made anew`);
  await chmod(folder, 0o700);
  await removeHalves(folder, name);
  const half = `${name}.${randomBytes(4).toString("hex")}`;
  await withAddress(folder, half, (address) => listen(server, address));
  await chmod(join(folder, half), 0o600);
  const { ino } = await lstat(join(folder, half));
  const place = join(folder, name);
  await rename(join(folder, half), place);
  // As long as somebody listens on it, its number is given to no other.
  const isInPlace = async (): Promise<boolean> => (await whenThere(lstat(place)))?.ino === ino;
  return {
    isInPlace,
    async remove() {
      if (await isInPlace()) await rm(place, { force: true });
    },
  };
}

/**
 * Connects to the socket `folder/name`. Null: there is none, nobody listens on it, this user may not, or others than its
 * owner could have put it there: the folder must belong to this user, to root or to the owner of the folder above.
 */
export async function connectInFolder(folder: string, name: string): Promise<Socket | null> {
  try {
    const [found, above] = await Promise.all([lstat(folder), stat(dirname(folder))]);
    const isTrusted = [ownUser(found), 0, above.uid].includes(found.uid) && (found.mode & 0o022) === 0;
    if (!found.isDirectory() || !isTrusted) return null;
    return await withAddress(folder, name, connect);
  } catch (error) {
    // absence is the answer: whoever asks goes on without it, whatever keeps it away
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}

function ownUser(fallback: Stats): number {
  return process.geteuid?.() ?? fallback.uid;
}

/** Where the path is too long for an address, the folder is opened, and the address begins from there. */
async function withAddress<T>(folder: string, name: string, use: (address: string) => Promise<T>): Promise<T> {
  const path = join(folder, name);
  if (Buffer.byteLength(path) <= addressBytesLimit) return await use(path);
  const opened = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    return await use(`/proc/self/fd/${opened.fd}/${name}`);
  } finally {
    await opened.close();
  }
}

function listen(server: Server, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(address, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function connect(address: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(address);
    // For as long as it lives: whoever uses it sees it closed, and one that is cut off must not end the process.
    socket.on("error", reject);
    socket.once("connect", () => resolve(socket));
  });
}

async function removeHalves(folder: string, name: string): Promise<void> {
  for (const entry of await readdir(folder)) {
    if (!entry.startsWith(`${name}.`)) continue;
    const found = await whenThere(lstat(join(folder, entry)));
    if (found !== null && Date.now() - found.mtimeMs > halfAgeMs) await rm(join(folder, entry), { force: true });
  }
}
