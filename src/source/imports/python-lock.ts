import { z } from "zod";
import type { Finding } from "../finding.ts";
import type { FactFiles, LockReading } from "./import-reader.ts";
import { distributionName, parseToml } from "./python-facts.ts";
import { readMarker } from "./python-marker.ts";
import { normaliseDistribution } from "./python-source.ts";

/** The standard one (PEP 751), and what `pip-compile --generate-hashes` and `uv export` write. */
export const pylockFile = "pylock.toml";
export const requirementsLockFile = "requirements.lock";
export const pythonLockFiles = [pylockFile, requirementsLockFile] as const;

export interface LockedDistribution {
  /** Normalised. */
  readonly name: string;
  readonly version: string;
  /** Where it is wanted, as an environment marker that pip takes, without groups and extras; empty: everywhere. */
  readonly marker: string;
  /** sha256 of its wheels in hexadecimal, sorted. */
  readonly hashes: readonly string[];
}

export type PythonLock =
  | { readonly kind: "none" }
  | { readonly kind: "locked"; readonly distributions: readonly LockedDistribution[] }
  | { readonly kind: "refused"; readonly finding: Finding };

const versionPattern = /^[0-9A-Za-z][0-9A-Za-z.!+_-]{0,99}$/;
const hashPattern = /^[0-9a-f]{64}$/;
const knownHosts = new Set(["files.pythonhosted.org", "pypi.org"]);

export function readPythonLock(facts: FactFiles): PythonLock {
  const [pylock, plain] = pythonLockFiles.map((file) => facts.get(file));
  if (pylock !== undefined && plain !== undefined)
    return refuse(requirementsLockFile, 0, `there is a ${pylockFile} too: one of them must go`);
  if (pylock !== undefined) return finish(pylockFile, readPylock(pylock));
  return plain === undefined ? { kind: "none" } : finish(requirementsLockFile, readRequirementsLock(plain));
}

/** One line for each distribution with its digests: order, addresses, comments and layout mean nothing. */
export function readPythonLockEntries(facts: FactFiles): LockReading {
  const lock = readPythonLock(facts);
  return lock.kind === "locked" ? { kind: "locked", entries: lock.distributions.map(describeLocked) } : lock;
}

/** As a line of requirements that pip takes with `--require-hashes`. */
export function describeLocked({ name, version, marker, hashes }: LockedDistribution): string {
  const when = marker === "" ? "" : ` ; ${marker}`;
  return `${name}==${version}${when} ${hashes.map((hash) => `--hash=sha256:${hash}`).join(" ")}`;
}

function refuse(file: string, line: number, message: string): Extract<PythonLock, { kind: "refused" }> {
  return { kind: "refused", finding: { severity: "error", file, line, message } };
}

type Entry = LockedDistribution & { readonly line: number };

function finish(file: string, read: readonly Entry[] | Extract<PythonLock, { kind: "refused" }>): PythonLock {
  if (!("length" in read)) return read;
  const known = new Map<string, LockedDistribution>();
  for (const { line, ...entry } of read) {
    const where = (message: string): PythonLock => refuse(file, line, `${entry.name} ${message}`.slice(0, 500));
    if (!versionPattern.test(entry.version)) return where("has no exact version");
    const marker = readMarker(entry.marker);
    if (marker.kind === "refused") return where(`has a marker that ${marker.why}`);
    if (entry.hashes.length === 0) return where("has no sha256: what it is must be known before it is fetched");
    if (entry.hashes.some((hash) => !hashPattern.test(hash))) return where("has a sha256 that is none");
    const key = `${entry.name} ${entry.version} ${marker.text}`;
    if (known.has(key)) return where("is there twice");
    known.set(key, { ...entry, marker: marker.text, hashes: [...new Set(entry.hashes)].toSorted() });
  }
  const sorted = [...known].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
  return { kind: "locked", distributions: sorted };
}

const pylockSchema = z.looseObject({
  "lock-version": z.string().regex(/^1\./, "only version 1 is known"),
  packages: z
    .array(
      z.looseObject({
        name: distributionName,
        version: z.string().optional(),
        marker: z.string().default(""),
        index: z.string().optional(),
        vcs: z.unknown().optional(),
        directory: z.unknown().optional(),
        archive: z.unknown().optional(),
        wheels: z
          .array(
            z.looseObject({
              url: z.string().optional(),
              path: z.string().optional(),
              hashes: z.record(z.string(), z.string()).default({}),
            }),
          )
          .default([]),
      }),
    )
    .max(5000),
});

function readPylock(text: string): Entry[] | Extract<PythonLock, { kind: "refused" }> {
  const lock = parseToml(text, pylockFile, pylockSchema);
  if (lock.kind === "refused") return lock;
  const entries: Entry[] = [];
  for (const one of lock.value.packages) {
    const refusal = describeRefused(one);
    if (refusal !== null) return refuse(pylockFile, 0, `${one.name} ${refusal}`);
    entries.push({
      name: normaliseDistribution(one.name),
      version: one.version ?? "",
      marker: one.marker,
      hashes: one.wheels.flatMap(({ hashes }) => hashes["sha256"] ?? []),
      line: one.marker === "" ? 0 : lineOf(text, one.marker),
    });
  }
  return entries;
}

function describeRefused(one: z.infer<typeof pylockSchema>["packages"][number]): string | null {
  for (const way of ["vcs", "directory", "archive"] as const)
    if (one[way] !== undefined) return `comes from a ${way}: only wheels of a registry, by their sha256, are fetched`;
  if (one.wheels.length === 0) return "has no wheel: source distributions would run code of theirs to be built";
  if (one.index !== undefined && !isKnownHost(one.index)) return `comes from ${one.index.slice(0, 200)}`;
  for (const { url, path, hashes } of one.wheels) {
    if (path !== undefined) return "is a file beside the lock: only wheels of a registry are fetched";
    if (url !== undefined && !isKnownHost(url))
      return `leads to ${url.slice(0, 200)}, which is no registry of Python's`;
    if (hashes["sha256"] === undefined) return "has a wheel without a sha256";
  }
  return null;
}

function isKnownHost(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : null;
  return url?.protocol === "https:" && knownHosts.has(url.host) && url.username === "" && url.password === "";
}

/** 0 where it is written in another way than it reads. */
function lineOf(text: string, value: string): number {
  const places = [value, value.replaceAll('"', '\\"')].map((written) => text.indexOf(written));
  const at = Math.max(...places);
  return at === -1 ? 0 : text.slice(0, at).split("\n").length;
}

function readRequirementsLock(text: string): Entry[] | Extract<PythonLock, { kind: "refused" }> {
  const entries: Entry[] = [];
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length; at += 1) {
    const begun = at;
    const pieces = [withoutComment(lines[at] ?? "")];
    for (let last = pieces[0] ?? ""; last.endsWith("\\") && at + 1 < lines.length; last = pieces.at(-1) ?? "") {
      pieces[pieces.length - 1] = last.slice(0, -1);
      pieces.push(withoutComment(lines[++at] ?? ""));
    }
    const line = pieces.join(" ").trim();
    if (line === "") continue;
    // The hashes first, by words: one expression for all of it would look at a line of spaces again from each of them.
    const words = line.split(/\s+/);
    const last = words.findLastIndex((word) => !/^--hash=./.test(word));
    const wanted = words.slice(0, last + 1).join(" ");
    const parts = /^([^\s=;[\]]+)(?:\[[^\]]*\])? ?===? ?([^\s;]+) ?(?:;(.*))?$/.exec(wanted);
    const [, name, version, marker] = parts ?? [];
    if (name === undefined || version === undefined || !distributionName.safeParse(name).success) {
      const shown = line.replaceAll(/\p{Cc}/gu, " ").slice(0, 100);
      return refuse(requirementsLockFile, begun + 1, `${shown}: only name==version with --hash=sha256:… is taken here`);
    }
    entries.push({
      name: normaliseDistribution(name),
      version,
      marker: (marker ?? "").trim(),
      hashes: words
        .slice(last + 1)
        .flatMap((word) => (word.startsWith("--hash=sha256:") ? [word.slice("--hash=sha256:".length)] : [])),
      line: begun + 1,
    });
  }
  return entries;
}

function withoutComment(line: string): string {
  return line.replace(/(^|\s)#.*$/, "").trimEnd();
}
