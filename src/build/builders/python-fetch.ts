import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode, whenThere } from "../../core/errors.ts";
import { normaliseDistribution } from "../../source/imports/python-source.ts";
import { isWhole, sealContents } from "../kept-contents.ts";
import { isKept } from "../kept-use.ts";
import { normaliseModes } from "../normalise-modes.ts";
import { type BuildJob, type Judged, judgeEnvironment, outstanding, unfit } from "./builder.ts";
import { describeOtherBytes } from "./other-bytes.ts";
import type { Backend } from "./python-backends.ts";
import { runPip } from "./python-run.ts";
import { fitsPython } from "./python-specifier.ts";
import type { PythonToolchain } from "./python-toolchain.ts";

export type FetchedWheels = { readonly kind: "fetched"; readonly wheels: string } | Judged;

/**
 * Wheels by name, version and sha256, in a step of its own: the one that has network, and the one that runs nothing of
 * what it fetches (only wheels are taken: a source distribution would run code to say what it is). Kept by what was
 * asked for. `what`: whose they are, in words.
 */
export async function fetchWheels(
  job: BuildJob,
  toolchain: PythonToolchain,
  what: string,
  lines: readonly string[],
): Promise<FetchedWheels> {
  const kept = keptFolder(job, toolchain, "wheels", lines);
  const wheels = join(kept, "wheels");
  if ((await isKept(kept)) && (await isWhole(kept))) return { kind: "fetched", wheels };
  const folder = join(job.root, `fetch-${randomUUID()}`);
  await mkdir(join(folder, "kept", "wheels"), { recursive: true });
  await writeFile(join(folder, "requirements.txt"), `${lines.join("\n")}\n`);
  await normaliseModes(folder);
  const checks = ["--require-hashes", "--no-deps", "--only-binary", ":all:", "--progress-bar", "off"];
  const { certificate, env } = describeNetwork();
  const patience = ["--retries", "1", "--timeout", "30"];
  const index = ["--index-url", job.registries.pypi, "--log", "/fetch/pip.log"];
  const words = ["download", ...checks, ...patience, ...certificate, ...index];
  const result = await runPip(job, toolchain, {
    step: "fetch",
    words: [...words, "--requirement", "/fetch/requirements.txt", "--dest", "/fetch/kept/wheels"],
    mounts: [{ from: folder, to: "/fetch", access: "write" }],
    network: "host",
    env,
  });
  const environment = judgeEnvironment(`fetching ${what}`, result);
  if (environment !== null) return environment;
  if (result.kind === "exited" && result.code !== 0)
    return judgeFetch({ toolchain, what, log: result.log, said: await readPipLog(folder) });
  // Their digests were held against the lock's by pip, just now.
  await sealContents(join(folder, "kept"));
  await keep(join(folder, "kept"), kept);
  return { kind: "fetched", wheels };
}

/** The build backend, ready to be imported: fetched and unpacked once, and kept by its pins. Answers its folder. */
export async function placeBackend(
  job: BuildJob,
  toolchain: PythonToolchain,
  backend: Backend,
): Promise<{ readonly kind: "placed"; readonly folder: string } | Judged> {
  const lines = backend.wheels.map(({ name, version, sha256 }) => `${name}==${version} --hash=sha256:${sha256}`);
  const kept = keptFolder(job, toolchain, "backends", lines);
  if ((await isKept(kept)) && (await isWhole(kept))) return { kind: "placed", folder: kept };
  const fetched = await fetchWheels(job, toolchain, `the build backend ${backend.module}`, lines);
  if (fetched.kind === "judged") {
    // These pins are ours: what does not fit them is no fault of the module.
    const { verdict } = fetched;
    return verdict.verdict === "unfit" ? outstanding("registry", verdict.message) : fetched;
  }
  const site = join(job.root, "backend");
  const failed = await installWheels(job, toolchain, { lines, sources: [fetched.wheels], site });
  if (failed !== null) return failed;
  await sealContents(site);
  await keep(site, kept);
  return { kind: "placed", folder: kept };
}

function keptFolder(job: BuildJob, { python }: PythonToolchain, what: string, lines: readonly string[]): string {
  const parts = [python.minor, process.platform, process.arch, ...lines];
  return join(job.cache, what, createHash("sha256").update(JSON.stringify(parts)).digest("hex"));
}

export interface InstallWheels {
  /** `name==version --hash=sha256:…` */
  readonly lines: readonly string[];
  /** Folders with wheels, outside. */
  readonly sources: readonly string[];
  /** A new folder in the job's root. */
  readonly site: string;
}

/** Without network, only what the lines say, by its sha256; nothing of it runs. Null: it is done. */
export async function installWheels(
  job: BuildJob,
  toolchain: PythonToolchain,
  { lines, sources, site }: InstallWheels,
): Promise<Judged | null> {
  await mkdir(site);
  if (lines.length === 0) return null;
  const list = join(job.root, `requirements-${randomUUID()}.txt`);
  await writeFile(list, `${lines.join("\n")}\n`);
  await normaliseModes(list);
  const mounts = sources.map((from, at) => ({ from, to: `/wheels/${at}`, access: "read" as const }));
  const links = mounts.flatMap(({ to }) => ["--find-links", to]);
  const checks = ["--no-index", "--require-hashes", "--no-deps", "--only-binary", ":all:"];
  const result = await runPip(job, toolchain, {
    step: "compile",
    words: ["install", ...checks, ...links, "--no-compile", "--requirement", "/list.txt", "--target", "/site"],
    mounts: [...mounts, { from: list, to: "/list.txt", access: "read" }, { from: site, to: "/site", access: "write" }],
  });
  const environment = judgeEnvironment("installing what it is built against", result);
  if (environment !== null) return environment;
  if (result.kind !== "exited" || result.code === 0) return null;
  // By the wheel's own word: the module is right, and the tools of this machine are not the ones it needs.
  if (/^ERROR: Packages? .*requires? a different Python/m.test(result.log))
    return describeOtherPython(toolchain, lastErrors(result.log));
  return unfit("compile", lastErrors(result.log));
}

function describeOtherPython({ python }: PythonToolchain, what: string): Judged {
  return outstanding(
    "toolchain",
    `${what}\nThis machine builds with Python ${python.version}: install one that fits, or ask for less in requires-python or the lock file`,
  );
}

/**
 * pip leaves out what asks for another Python, newer or older, and then finds nothing. Its own log says it of each file, in
 * its reason or, where the tags spoke first, only beside the address. Null: not so.
 */
function findOtherPython({ python }: PythonToolchain, log: string, said: string): string | null {
  const [, name = "", version = ""] = /No matching distribution found for ([\w.-]+)==([^\s;]+)/.exec(log) ?? [];
  const wanted = `${normaliseDistribution(name)} ${version}`;
  for (const line of said.split("\n").filter((one) => one.includes("Skipping link: "))) {
    const [file = "", release = ""] = /\/([^/\s]+)\.whl \(from /.exec(line)?.[1]?.split("-") ?? [];
    if (`${normaliseDistribution(file)} ${release}` !== wanted) continue;
    const asked = /\(requires-python:([^()]*)\)\s*$/.exec(line)?.[1];
    if (asked === undefined) continue;
    if (/Skipping link: \S+ Requires-Python /.test(line) || fitsPython(asked, python.version) === false)
      return `${name} ${version} (requires-python:${asked})`;
  }
  return null;
}

interface FailedFetch {
  readonly toolchain: PythonToolchain;
  readonly what: string;
  readonly log: string;
  /** What pip wrote into its own log: more than it prints. */
  readonly said: string;
}

/** What the lock itself is to blame for is the module's; everything else may answer better another time. */
function judgeFetch({ toolchain, what, log, said }: FailedFetch): Judged {
  const unread = listUnread(said);
  const message = `${what} could not be fetched: ${[...unread, lastErrors(log)].join("\n")}`;
  const other = describeMismatch(log);
  if (other !== null) return outstanding("registry", other);
  const isThere = unread.every((line) => /: 404 /.test(line)) && !/Retrying|timed out|SSLError/.test(log);
  const asked = findOtherPython(toolchain, log, said);
  if (isThere && asked !== null) return describeOtherPython(toolchain, `${what} could not be fetched: ${asked}`);
  if (isThere && /No matching distribution found/.test(log))
    return unfit("compile", `${message} (only wheels for this Python and platform are taken)`);
  return outstanding("registry", message);
}

/** `name==version from address (from -r …)`, and the two digests below it. */
function describeMismatch(log: string): string | null {
  const said =
    /DO NOT MATCH THE HASHES[\s\S]*?\n\s*(\S+) from (\S+)[\s\S]*?\n\s*Expected sha256 (\w+)\n[\s\S]*?\n?\s*Got +(\w+)/.exec(
      log,
    );
  const [, what, address, wanted, got] = said ?? [];
  if (what === undefined || address === undefined || wanted === undefined || got === undefined) return null;
  const from = address.replace(/#.*$/, "");
  return describeOtherBytes({ lock: "the lock file", what, wanted, got, from });
}

async function readPipLog(folder: string): Promise<string> {
  // absence is the answer: pip that ended before it began wrote none, and said on its way out why.
  return (await whenThere(readFile(join(folder, "pip.log"), "utf8"))) ?? "";
}

/** To pip, a page of the index that does not answer is a page without files: only its own log tells them apart. */
function listUnread(said: string): string[] {
  const lines = said.split("\n").flatMap((line) => /Could not fetch URL (.*)/.exec(line)?.[1] ?? []);
  return [...new Set(lines)].slice(0, 5).map((line) => line.slice(0, 400));
}

function lastErrors(log: string): string {
  const lines = log.trim().split("\n");
  const errors = lines.filter((line) => /^(ERROR|WARNING)|Expected|Got|Error/.test(line.trim()));
  return (errors.length > 0 ? errors : lines).slice(-8).join("\n").slice(0, 2000);
}

async function keep(folder: string, kept: string): Promise<void> {
  await mkdir(dirname(kept), { recursive: true });
  const beside = `${kept}.${randomUUID()}`;
  await cp(folder, beside, { recursive: true });
  await normaliseModes(beside);
  try {
    await rename(beside, kept);
  } catch (error) {
    // Another build fetched the same at the same moment.
    if (errorCode(error) !== "ENOTEMPTY" && errorCode(error) !== "EEXIST") throw error;
    await rm(beside, { recursive: true, force: true });
  }
}

/** A way through a proxy, and whom to trust. Addresses with a password in them stay here. */
function describeNetwork(): {
  readonly certificate: readonly string[];
  readonly env: Readonly<Record<string, string>>;
} {
  const names = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy"];
  const env = names.flatMap((name) => {
    const value = process.env[name];
    return value === undefined || value.includes("@") ? [] : [[name, value] as const];
  });
  const trusted = ["PIP_CERT", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"]
    .map((name) => process.env[name])
    // The sandbox sees the system's own certificates and no others.
    .find((path) => path !== undefined && path.startsWith("/etc/ssl/") && existsSync(path));
  return { certificate: trusted === undefined ? [] : ["--cert", trusted], env: Object.fromEntries(env) };
}
