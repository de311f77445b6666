import { link, readFile, readlink, rename, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { hasErrorCode, InputError } from "../../core/errors.ts";
import { isAlive, readIdentity, type ProcessIdentity } from "../supervisor/process-identity.ts";

const holderSchema = z.object({ pid: z.number().int(), started: z.string(), bootId: z.string() });

/** Before the words of a lock that is a symbolic link. */
const linkPrefix = "mesh.";

/**
 * Keeps a second host off the folder. The holder is known by pid, start time and boot, so that a lock left by a kill
 * is taken over and a stranger with the same pid is no holder. Throws InputError while another host runs.
 * A file, as hosts of before read it; where there is no space for one, a symbolic link, whose short words are in its
 * inode: a full disk keeps no host from coming up (R44).
 * Returns what gives the lock back.
 */
export async function takeLock(stateFolder: string): Promise<() => Promise<void>> {
  const file = path.join(stateFolder, "host.lock");
  const own = `${file}.${process.pid}`;
  const identity = await readIdentity(process.pid);
  if (identity === null) throw new Error("this process does not find itself in the list of processes");
  try {
    await writeOwn(own, identity);
    for (let tries = 0; tries < 3; tries += 1) {
      if (await placeLock(own, file)) return () => rm(file, { force: true });
      await removeStaleLock(file);
    }
  } finally {
    await rm(own, { force: true });
  }
  throw new InputError(`another host is just taking ${path.dirname(stateFolder)}`, "Let only one host run there.");
}

async function writeOwn(own: string, identity: ProcessIdentity): Promise<void> {
  // Left by a kill, of another process with this number.
  await rm(own, { force: true });
  try {
    await writeFile(own, JSON.stringify(identity), { mode: 0o600 });
  } catch (error) {
    if (!hasErrorCode(error, "ENOSPC", "EDQUOT")) throw error;
    await rm(own, { force: true });
    const { pid, started, bootId } = identity;
    await symlink(`${linkPrefix}${pid}.${started}.${bootId}`, own);
  }
}

/** `link` fails when the name is there: of two that try, one wins. */
async function placeLock(own: string, file: string): Promise<boolean> {
  try {
    await link(own, file);
    return true;
  } catch (error) {
    // absence is the answer: another one holds it, that is the question.
    if (hasErrorCode(error, "EEXIST")) return false;
    throw error;
  }
}

async function removeStaleLock(file: string): Promise<void> {
  const text = await readLock(file);
  if (text === null) return;
  const holder = holderSchema.safeParse(parseLock(text));
  if (holder.success && (await isAlive(holder.data))) {
    throw new InputError(
      `a host already runs on ${path.dirname(path.dirname(file))}, pid ${holder.data.pid}`,
      "Stop that one first, or give this one another --dir.",
    );
  }
  // Moved aside first: when another newcomer has replaced it in between, its lock is put back.
  const aside = `${file}.stale-${process.pid}`;
  try {
    await rename(file, aside);
  } catch (error) {
    // absence is the answer: another newcomer has moved it, or its holder gave it back.
    if (hasErrorCode(error, "ENOENT")) return;
    throw error;
  }
  if ((await readLock(aside)) !== text) await placeLock(aside, file);
  await rm(aside, { force: true });
}

async function readLock(file: string): Promise<string | null> {
  try {
    return (await readLink(file)) ?? (await readFile(file, "utf8"));
  } catch (error) {
    // absence is the answer: no lock, so nobody holds it.
    if (hasErrorCode(error, "ENOENT")) return null;
    throw error;
  }
}

/** In the words of a file. Null: it is one. */
async function readLink(file: string): Promise<string | null> {
  let words: string;
  try {
    words = await readlink(file);
  } catch (error) {
    // absence is the answer: it is no link, which is what was asked.
    if (hasErrorCode(error, "EINVAL")) return null;
    throw error;
  }
  const [, pid, started, bootId] = /^mesh\.(\d+)\.(.*)\.([^.]+)$/.exec(words) ?? [];
  return JSON.stringify({ pid: Number(pid), started, bootId });
}

function parseLock(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // absence is the answer: a lock that a power cut left empty has no holder.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
