import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { createTemporaryFolder } from "./temporary-folder.ts";

const run = promisify(execFile);

export interface CrateRegistry {
  /** As `Registries.crates` wants it. */
  readonly url: string;
  /** Paths asked for. */
  readonly asked: string[];
  /** Answers everything with this status from now on; null: as it should be. */
  failWith(status: number | null): void;
  /** An entry of Cargo.lock. */
  lockEntry(name: string, options?: LockEntryOptions): string;
}

export interface LockEntryOptions {
  /** The first one of that name where it is left out. */
  readonly version?: string;
  readonly checksum?: string;
  readonly dependencies?: readonly string[];
}

export interface ServedCrate {
  readonly name: string;
  readonly version: string;
  readonly files: Readonly<Record<string, string>>;
  /** Path of a link → where it leads. */
  readonly links?: Readonly<Record<string, string>>;
}

/** A registry of crates on this machine, with crates of this test's own. */
export async function createCrateRegistry(crates: readonly ServedCrate[]): Promise<CrateRegistry> {
  const packed = new Map<string, { readonly bytes: Buffer; readonly version: string; readonly checksum: string }[]>();
  for (const crate of crates) {
    const bytes = await packCrate(crate);
    const checksum = createHash("sha256").update(bytes).digest("hex");
    const known = packed.get(crate.name) ?? [];
    packed.set(crate.name, [...known, { bytes, version: crate.version, checksum }]);
  }
  let failing: number | null = null;
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const base = `http://${request.headers.host ?? ""}`;
    const [, name, version] = /^\/crates\/([^/]+)\/([^/]+)\/download$/.exec(request.url ?? "") ?? [];
    const found = packed.get(name ?? "")?.find((one) => one.version === version);
    if (failing !== null) response.writeHead(failing).end();
    else if (request.url === "/index/config.json") response.end(JSON.stringify({ dl: `${base}/crates` }));
    else if (found !== undefined) response.end(found.bytes);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server listens on a port");
  return {
    url: `http://127.0.0.1:${address.port}/index/`,
    asked,
    failWith: (status) => {
      failing = status;
    },
    lockEntry: (name, options = {}) => {
      const found = packed.get(name)?.find((one) => options.version === undefined || one.version === options.version);
      if (found === undefined) throw new Error(`there is no crate ${name}`);
      return lockEntry(name, found.version, options.checksum ?? found.checksum, options.dependencies);
    },
  };
}

export function lockEntry(
  name: string,
  version: string,
  checksum: string,
  dependencies: readonly string[] = [],
): string {
  const list = dependencies.length === 0 ? "" : `dependencies = ${JSON.stringify(dependencies)}\n`;
  return `\n[[package]]\nname = "${name}"\nversion = "${version}"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\nchecksum = "${checksum}"\n${list}`;
}

async function packCrate({ name, version, files, links }: ServedCrate): Promise<Buffer> {
  const top = await createTemporaryFolder();
  const folder = join(top, `${name}-${version}`);
  const manifest = `[package]\nname = "${name}"\nversion = "${version}"\nedition = "2021"\n`;
  for (const [path, text] of Object.entries({ "Cargo.toml": manifest, "src/lib.rs": "", ...files })) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  for (const [path, target] of Object.entries(links ?? {})) await symlink(target, join(folder, path));
  await run("tar", ["-czf", join(top, "crate"), "-C", top, `${name}-${version}`]);
  return readFile(join(top, "crate"));
}
