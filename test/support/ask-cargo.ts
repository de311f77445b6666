import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { CargoManifest } from "../../src/source/imports/rust-manifest.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

const run = promisify(execFile);

interface Declared {
  readonly name: string;
  readonly rename: string | null;
  readonly kind: string | null;
  readonly optional: boolean;
  readonly target: string | null;
}

/** What `cargo metadata` says these files declare; null: it refuses them. Only for files of our own. */
export async function askCargo(files: Readonly<Record<string, string>>): Promise<string[] | null> {
  const top = await createTemporaryFolder();
  const folder = join(top, "mesh", "app");
  const stub = (name: string) => `[package]\nname = "${name}"\nversion = "1.0.0"\n`;
  const all: Record<string, string> = {
    // Cargo looks at what lies at a path; whose it is, is not its question.
    "../rust-core/Cargo.toml": stub("rust-core"),
    "../rust-core/src/lib.rs": "",
    "../colour/Cargo.toml": stub("colour"),
    "../colour/src/lib.rs": "",
    "../../elsewhere/Cargo.toml": stub("rust-core"),
    "../../elsewhere/src/lib.rs": "",
    "crates/sub/Cargo.toml": stub("sub"),
    "crates/sub/src/lib.rs": "",
    "../x.rs": "",
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    if (path.startsWith(".cargo/") || path.startsWith("rust-toolchain")) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  try {
    const words = ["metadata", "--offline", "--no-deps", "--all-features", "--format-version", "1"];
    const { stdout } = await run("cargo", words, { cwd: folder });
    const { packages } = JSON.parse(stdout) as { packages: { name: string; dependencies: Declared[] }[] };
    const own = packages.find((one) => one.name.toLowerCase() === "app");
    return (own?.dependencies ?? []).map(describe).toSorted();
  } catch (error) {
    // absence is the answer: cargo ended with a failure, which is what the row is about
    if (error instanceof Error && "code" in error && typeof error.code === "number") return null;
    throw error;
  }
}

/** The same of our reading. */
export function describeDeclared(manifest: CargoManifest): string[] {
  return manifest.dependencies
    .map(({ key, package: name, kind, optional, target }) =>
      describe({ name, rename: key === name ? null : key, kind: kind === "normal" ? null : kind, optional, target }),
    )
    .toSorted();
}

function describe({ name, rename, kind, optional, target }: Declared): string {
  return JSON.stringify({ name, rename, kind, optional, target });
}
