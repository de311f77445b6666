import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { UnavailableError } from "../../core/errors.ts";
import { isRecord } from "../read-json.ts";
import { runCommand } from "../run-command.ts";
import { keepBinary } from "./binary-cache.ts";
import type { Road } from "./road.ts";

/** Where Temporal's own SDKs ask which archive holds the CLI that they go with. */
export const upstreamUrl = "https://temporal.download";

const answerTimeoutMs = 5_000;
const downloadTimeoutMs = 10 * 60_000;
const maxArchiveBytes = 300 * 1024 * 1024;

interface Archive {
  readonly archiveUrl: string;
  readonly fileToExtract: string;
}

export const upstreamRoad: Road = {
  name: "Temporal's own download",
  find: async (context) => {
    const archive = await askForArchive(context.downloadUrl);
    context.progress(`Temporal: downloading ${archive.archiveUrl}`);
    return await keepBinary(context, (folder) => fetchBinary(archive, folder));
  },
};

/** The same question as the SDKs': `<base>/cli/default?platform=linux&arch=amd64&format=tar.gz`. */
export function readArchiveUrl(base: string, platform: NodeJS.Platform, arch: string): string {
  const query = new URLSearchParams({
    platform,
    arch: arch === "x64" ? "amd64" : arch,
    format: "tar.gz",
    "sdk-name": "mesh-delivery",
    "sdk-version": "0.1.0",
  });
  return `${base}/cli/default?${query.toString()}`;
}

async function askForArchive(base: string): Promise<Archive> {
  const url = readArchiveUrl(base, process.platform, process.arch);
  const answer = await ask(url, answerTimeoutMs);
  const body: unknown = await answer.json();
  if (!isRecord(body)) throw new UnavailableError(`${url} did not name an archive`);
  const { archiveUrl, fileToExtract } = body;
  if (typeof archiveUrl !== "string" || typeof fileToExtract !== "string" || !/^\w[\w.-]*$/.test(fileToExtract)) {
    throw new UnavailableError(`${url} did not name an archive`);
  }
  if (!archiveUrl.startsWith("https://") && !archiveUrl.startsWith(`${base}/`)) {
    throw new UnavailableError(`${url} names an archive that is not on HTTPS`);
  }
  return { archiveUrl, fileToExtract };
}

async function fetchBinary(archive: Archive, folder: string): Promise<void> {
  const answer = await ask(archive.archiveUrl, downloadTimeoutMs);
  if (answer.body === null) throw new UnavailableError(`${archive.archiveUrl} is empty`);
  const file = join(folder, "archive.tar.gz");
  let bytes = 0;
  const limit = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done(bytes > maxArchiveBytes ? new UnavailableError(`${archive.archiveUrl} is over 300 MB`) : null, chunk);
    },
  });
  await pipeline(Readable.fromWeb(answer.body), limit, createWriteStream(file));
  // The system's tar: this folder has no packages, and a machine that runs the rest has one.
  await runCommand("tar", ["-xzf", file, "-C", folder, archive.fileToExtract], { timeoutMs: 120_000 });
  await rm(file);
}

async function ask(url: string, timeoutMs: number): Promise<Response> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: "follow" });
    if (!answer.ok) throw new UnavailableError(`${url} answered ${answer.status}`);
    return answer;
  } catch (cause) {
    if (cause instanceof UnavailableError) throw cause;
    const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
    const why = inner instanceof Error ? inner.message : String(inner);
    throw new UnavailableError(`no answer from ${new URL(url).host} (${why})`, "", { cause });
  }
}
