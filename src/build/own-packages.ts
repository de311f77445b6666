import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);

/** Folder of one of this product's own packages. */
export function findPackage(name: string, from?: string): string {
  const lookUp = from === undefined ? require : createRequire(join(from, "package.json"));
  return dirname(lookUp.resolve(`${name}/package.json`));
}

function versionOf(name: string, from?: string): string {
  const text: unknown = JSON.parse(readFileSync(join(findPackage(name, from), "package.json"), "utf8"));
  if (typeof text !== "object" || text === null || !("version" in text) || typeof text.version !== "string") {
    throw new Error(`package ${name} of this product has no version`);
  }
  return text.version;
}

/**
 * All that a module is compiled with, e.g. `node 20.20.2, typescript 7.0.2, @types/node 20.19.43, undici-types 6.21.0,
 * linux-x64`.
 */
export function describeNode(): string {
  const parts = ["typescript", "@types/node"].map((name) => `${name} ${versionOf(name)}`);
  const more = `undici-types ${versionOf("undici-types", findPackage("@types/node"))}`;
  return [`node ${process.versions.node}`, ...parts, more, describePlatform()].join(", ");
}

/** Part of every toolchain, because third-party packages may bring other files on another platform. */
export function describePlatform(): string {
  return `${process.platform}-${process.arch}`;
}
