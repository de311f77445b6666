import { createHash, randomUUID } from "node:crypto";
import { lstat, mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { whenThere } from "../../core/errors.ts";
import type { LockedCrate } from "../../source/imports/rust-lock.ts";
import { isKept } from "../kept-use.ts";
import { normaliseModes } from "../normalise-modes.ts";
import { type BuildJob, type BuildOutcome, buildRoot, judgeEnvironment, outstanding, unfit } from "./builder.ts";
import { describeOtherBytes } from "./other-bytes.ts";
import { moveCrate, writeChecksums } from "./rust-vendor.ts";

/** crates.io takes none larger than 10 MiB. */
const crateBytesLimit = 64 * 1024 * 1024;
const answerMs = 60_000;
const downloadsAtOnce = 4;

/**
 * The crates of a lock file, by its digests, into cargo's folder of crates. Downloading runs nothing; unpacking is done
 * in the sandbox, without network. Kept packed, and checked again at each use.
 */
export async function placeThirdPartyCrates(
  job: BuildJob,
  crates: readonly LockedCrate[],
  vendor: string,
): Promise<BuildOutcome | null> {
  if (crates.length === 0) return null;
  const packed = join(job.root, "packed");
  await mkdir(packed);
  const failed = await gather(job, crates, packed);
  if (failed !== null) return failed;
  return unpack(job, crates, packed, vendor);
}

async function gather(job: BuildJob, crates: readonly LockedCrate[], packed: string): Promise<BuildOutcome | null> {
  const cache = join(job.cache, "crates");
  await mkdir(cache, { recursive: true });
  const missing: LockedCrate[] = [];
  for (const crate of crates) {
    await isKept(join(cache, crate.checksum));
    const bytes = await whenThere(readFile(join(cache, crate.checksum)));
    if (bytes === null || digestOf(bytes) !== crate.checksum) missing.push(crate);
    else await writeFile(join(packed, crate.checksum), bytes);
  }
  if (missing.length === 0) return null;
  const address = await findDownloads(job);
  if (typeof address !== "string") return address;
  for (let at = 0; at < missing.length; at += downloadsAtOnce) {
    job.onStep("fetch");
    const outcomes = await Promise.all(
      missing.slice(at, at + downloadsAtOnce).map((crate) => download(job, address, crate, { cache, packed })),
    );
    const failed = outcomes.find((outcome) => outcome !== null);
    if (failed !== undefined) return failed;
  }
  return null;
}

const configSchema = z.looseObject({ dl: z.string().regex(/^https?:\/\//) });

/** Where the registry's index says that crates are. */
async function findDownloads(job: BuildJob): Promise<string | BuildOutcome> {
  const answer = await get(job, `${job.registries.crates}config.json`);
  if (!Buffer.isBuffer(answer)) return answer;
  try {
    return configSchema.parse(JSON.parse(answer.toString("utf8"))).dl;
  } catch {
    // absence is the answer: what is no index gives no address, and that is the outcome
    return outstanding("registry", `${job.registries.crates}config.json is not what an index of crates has`);
  }
}

async function download(
  job: BuildJob,
  address: string,
  crate: LockedCrate,
  folders: { readonly cache: string; readonly packed: string },
): Promise<BuildOutcome | null> {
  const from = addressOf(address, crate);
  const bytes = await get(job, from);
  if (!Buffer.isBuffer(bytes)) return bytes;
  const [wanted, got] = [crate.checksum, digestOf(bytes)];
  const what = `${crate.name} ${crate.version}`;
  if (got !== wanted)
    return outstanding("registry", describeOtherBytes({ lock: "Cargo.lock", what, wanted, got, from }));
  await writeFile(join(folders.packed, crate.checksum), bytes);
  const beside = join(folders.cache, `${crate.checksum}.${randomUUID()}`);
  await writeFile(beside, bytes);
  await rename(beside, join(folders.cache, crate.checksum));
  return null;
}

/** By cargo's rules for an index: with marks, or with the usual path behind it. */
export function addressOf(address: string, { name, version, checksum }: LockedCrate): string {
  const lower = name.toLowerCase();
  const prefix = (text: string): string =>
    text.length < 4
      ? [String(text.length), ...(text.length === 3 ? [text.slice(0, 1)] : [])].join("/")
      : `${text.slice(0, 2)}/${text.slice(2, 4)}`;
  const marks: Record<string, string> = {
    "{crate}": name,
    "{version}": version,
    "{prefix}": prefix(name),
    "{lowerprefix}": prefix(lower),
    "{sha256-checksum}": checksum,
  };
  const whole = Object.keys(marks).some((mark) => address.includes(mark))
    ? address
    : `${address}/{crate}/{version}/download`;
  return Object.entries(marks).reduce((text, [mark, word]) => text.replaceAll(mark, word), whole);
}

async function get(job: BuildJob, address: string): Promise<Buffer | BuildOutcome> {
  const time = AbortSignal.timeout(answerMs);
  const signal = job.signal === undefined ? time : AbortSignal.any([time, job.signal]);
  try {
    const answer = await fetch(address, { signal, headers: { "user-agent": "mesh-delivery" } });
    if (!answer.ok) return outstanding("registry", `${address} answered ${answer.status}`);
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of answer.body ?? []) {
      bytes += chunk.length;
      if (bytes > crateBytesLimit) return outstanding("registry", `${address} is larger than ${crateBytesLimit} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    job.signal?.throwIfAborted();
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : "";
    return outstanding("registry", `${address} does not answer: ${String(error)} ${cause}`);
  }
}

const script = `set -e; from=$1 to=$2; shift 2
for crate in "$@"; do mkdir "$to/$crate"; tar -xzf "$from/$crate" -C "$to/$crate" --no-same-owner --no-same-permissions; done`;

async function unpack(
  job: BuildJob,
  crates: readonly LockedCrate[],
  packed: string,
  vendor: string,
): Promise<BuildOutcome | null> {
  const unpacked = join(job.root, "unpacked");
  await mkdir(unpacked);
  await normaliseModes(packed);
  const [from, to] = [`${buildRoot}/packed`, `${buildRoot}/unpacked`];
  const result = await job.sandbox.run({
    command: ["/bin/sh", "-c", script, "unpack", from, to, ...crates.map((crate) => crate.checksum)],
    folder: to,
    mounts: [
      { from: packed, to: from, access: "read" },
      { from: unpacked, to, access: "write" },
    ],
    network: "none",
    limits: job.limits,
    signal: job.signal,
    onProgress: () => job.onStep("fetch"),
  });
  job.log(result.log);
  const environment = judgeEnvironment("unpacking crates", result);
  if (environment !== null) return environment;
  if (result.kind === "exited" && result.code !== 0)
    return unfit("compile", `a crate cannot be unpacked: ${result.log}`);
  for (const crate of crates) {
    const name = `${crate.name}-${crate.version}`;
    const folder = join(unpacked, crate.checksum, name);
    const fault = await findFault(folder);
    if (fault !== null) return unfit("compile", `${name}: ${fault}`);
    await writeChecksums(folder, crate.checksum);
    await moveCrate(folder, vendor, name);
  }
  return null;
}

/** A link could lead out of the folder when we read it. */
async function findFault(folder: string): Promise<string | null> {
  const found = await whenThere(lstat(folder));
  if (found?.isDirectory() !== true) return "its package does not hold the folder of that name";
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }))
    if (!entry.isFile() && !entry.isDirectory()) return `${entry.name} is neither a file nor a folder`;
  return null;
}

function digestOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
