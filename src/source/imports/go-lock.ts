import type { Finding } from "../finding.ts";
import { goModFile, goSumFile, readGoMod } from "./go-mod.ts";
import type { FactFiles, LockReading } from "./import-reader.ts";

/** One line of a go.sum. */
export interface GoSum {
  readonly path: string;
  /** With `/go.mod` behind it where only that file is meant. */
  readonly version: string;
  readonly hash: string;
  readonly line: number;
}

export type GoSumReading =
  | { readonly kind: "sums"; readonly sums: readonly GoSum[] }
  | { readonly kind: "refused"; readonly finding: Finding };

/** A go.sum without what is said twice. Two hashes for one thing, or a hash that is no h1, are refused with the line. */
export function readGoSum(text: string): GoSumReading {
  const sums = new Map<string, GoSum>();
  for (const [at, row] of text.split("\n").entries()) {
    const words = row.trim().split(/\s+/);
    if (words[0] === "") continue;
    const [path, version, hash] = words;
    const refuse = (message: string): GoSumReading => ({
      kind: "refused",
      finding: { severity: "error", file: goSumFile, line: at + 1, message },
    });
    if (path === undefined || version === undefined || hash === undefined || words.length !== 3)
      return refuse("is not `module version h1:…`");
    if (!/^h1:[A-Za-z0-9+/]{43}=$/.test(hash)) return refuse(`${path} ${version} has no h1 hash`);
    if (!isModulePath(path) || !isVersion(version)) return refuse("names no version of a module");
    const known = sums.get(`${path} ${version}`);
    if (known !== undefined && known.hash !== hash) return refuse(`${path} ${version} has another hash above`);
    sums.set(`${path} ${version}`, known ?? { path, version, hash, line: at + 1 });
  }
  return { kind: "sums", sums: [...sums.values()] };
}

export function isModulePath(path: string): boolean {
  return (
    path.length <= 500 &&
    /^[A-Za-z0-9_~][A-Za-z0-9._~-]*(\/[A-Za-z0-9._~-]+)*$/.test(path) &&
    !path.split("/").some((segment) => /^\.|\.$/.test(segment))
  );
}

/** `v1.2.3`, what follows it, and `/go.mod`. */
export function isVersion(version: string): boolean {
  return version.length <= 200 && /^v\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?(\/go\.mod)?$/.test(version);
}

/**
 * What go.sum pins for this module. Order, repetition and blank lines mean nothing. From Go 1.17 on go.mod names every
 * module whose packages are built, so the content of others (old versions that nobody tidied away) means nothing either.
 * The hashes of go.mod files all stay: which of them choosing versions reads is known to Go alone.
 */
export function readGoLock(facts: FactFiles): LockReading {
  const text = facts.get(goSumFile);
  if (text === undefined) return { kind: "none" };
  const reading = readGoSum(text);
  if (reading.kind === "refused") return reading;
  const mod = readGoMod(facts.get(goModFile) ?? "");
  const named = new Set([
    ...mod.requires.map(({ path, version }) => `${path} ${version}`),
    ...mod.replaces.map(({ to, toVersion }) => `${to} ${toVersion}`),
  ]);
  const complete = namesEverything(mod.go.version);
  const used = reading.sums.filter(
    ({ path, version }) => !complete || version.endsWith("/go.mod") || named.has(`${path} ${version}`),
  );
  if (used.length === 0) return { kind: "none" };
  return { kind: "locked", entries: used.map(({ path, version, hash }) => `${path} ${version} ${hash}`).toSorted() };
}

/** Since Go 1.17. */
function namesEverything(go: string): boolean {
  const [major = 0, minor = 0] = go.split(".").map(Number);
  return major > 1 || (major === 1 && minor >= 17);
}
