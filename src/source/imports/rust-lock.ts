import { parse, TomlError } from "smol-toml";
import { z } from "zod";
import { sayIssueAt } from "../../core/say-issue.ts";
import type { FactFiles, LockReading } from "./import-reader.ts";
import { cargoLockFile } from "./rust-manifest.ts";

/** The one registry that a lock file may name, however it is reached. */
const publicSources: ReadonlySet<string> = new Set([
  "registry+https://github.com/rust-lang/crates.io-index",
  "sparse+https://index.crates.io/",
]);

const lockSchema = z.looseObject({
  version: z.number().optional(),
  package: z
    .array(
      z.looseObject({
        // Both become part of a path and of an address.
        name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/),
        version: z
          .string()
          .max(100)
          .regex(/^\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?$/),
        source: z.string().optional(),
        checksum: z.string().optional(),
        dependencies: z.array(z.string()).optional(),
      }),
    )
    .default([]),
});

export interface LockedCrate {
  readonly name: string;
  readonly version: string;
  /** sha256 of the packed crate, hex. */
  readonly checksum: string;
}

export type CargoLock =
  | {
      readonly kind: "crates";
      readonly crates: readonly LockedCrate[];
      /** `a uses b 1.0.0`, where the lock has several b: which one it is decides what is compiled. */
      readonly choices: readonly string[];
    }
  | { readonly kind: "refused"; readonly message: string };

/** What a lock file takes from the registry. What has no source is a folder: the module itself, or another one. */
export function parseCargoLock(text: string): CargoLock {
  const refuse = (message: string): CargoLock => ({ kind: "refused", message });
  let value: unknown;
  try {
    value = parse(text, { maxDepth: 20 });
  } catch (error) {
    if (error instanceof TomlError)
      return refuse(`is not TOML: ${error.message.split("\n", 1)[0]?.slice(0, 200) ?? ""}`);
    throw error;
  }
  const lock = lockSchema.safeParse(value);
  if (!lock.success) return refuse(sayIssueAt(lock.error.issues[0]));
  const crates: LockedCrate[] = [];
  const choices: string[] = [];
  for (const { name, version, source, checksum, dependencies } of lock.data.package) {
    for (const one of dependencies ?? []) if (one.includes(" ")) choices.push(`${name} uses ${one}`);
    if (source === undefined) continue;
    if (!publicSources.has(source))
      return refuse(`${name} ${version} comes from ${source.slice(0, 200)}: only crates.io is fetched`);
    if (checksum === undefined || !/^[0-9a-f]{64}$/.test(checksum))
      return refuse(`${name} ${version} has no checksum to fetch it by`);
    crates.push({ name, version, checksum });
  }
  return { kind: "crates", crates, choices };
}

/** Packages of the registry with their digests: how the file is written has no meaning. */
export function readCargoLock(facts: FactFiles): LockReading {
  const text = facts.get(cargoLockFile);
  if (text === undefined) return { kind: "none" };
  const lock = parseCargoLock(text);
  if (lock.kind === "refused")
    return { kind: "refused", finding: { severity: "error", file: cargoLockFile, line: 0, message: lock.message } };
  const entries = lock.crates.map((one) => `${one.name} ${one.version} ${one.checksum}`);
  return { kind: "locked", entries: [...entries, ...lock.choices].toSorted() };
}
