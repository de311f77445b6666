import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readFile, readlink, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { whenThere } from "../core/errors.ts";
import { listFiles } from "./list-files.ts";

/** Lies in a kept folder beside what it speaks of. */
export const contentsFile = ".mesh-contents";

/** Writes down what is in a folder right after its tool held it against the lock's digests, before it is kept. */
export async function sealContents(folder: string): Promise<void> {
  await writeFile(join(folder, contentsFile), await digestContents(folder));
}

/**
 * Is a kept folder still what was put there? Read at each use, because a disk changes bytes without a word: what is not
 * whole is thrown away, and whoever asks fetches it again.
 */
export async function isWhole(folder: string): Promise<boolean> {
  const sealed = await whenThere(readFile(join(folder, contentsFile), "utf8"));
  const found = sealed === null ? "no seal" : await whenThere(digestContents(folder));
  if (found === sealed) return true;
  // Another build found the same, and takes it away while it is read here: what it puts there instead is not ours to remove.
  if (found === null) return false;
  // Aside first, in one step: nobody takes a part of it for all.
  const aside = `${folder}.damaged-${randomUUID()}`;
  await whenThere(rename(folder, aside));
  await rm(aside, { recursive: true, force: true });
  return false;
}

const lanes = 16;

async function digestContents(folder: string): Promise<string> {
  const paths = (await listFiles(folder)).filter((path) => path !== contentsFile);
  const lines: string[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next; at < paths.length; at = next) {
      next += 1;
      lines[at] = await describeFile(folder, paths[at] ?? "");
    }
  };
  await Promise.all(Array.from({ length: lanes }, work));
  return createHash("sha256").update(lines.join("\n")).digest("hex");
}

async function describeFile(folder: string, path: string): Promise<string> {
  const found = await lstat(join(folder, path));
  const name = JSON.stringify(path);
  if (found.isSymbolicLink()) return `link ${name} ${JSON.stringify(await readlink(join(folder, path)))}`;
  return `${(found.mode & 0o100) === 0 ? "file" : "program"} ${name} ${await digestFile(join(folder, path))}`;
}

export async function digestFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  const chunks = createReadStream(path, { highWaterMark: 1024 ** 2 });
  for await (const chunk of chunks as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest("hex");
}
