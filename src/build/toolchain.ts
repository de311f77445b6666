import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Language } from "../core/manifest.ts";

const require = createRequire(import.meta.url);

/** Folder of one of this product's own packages. */
export function findPackage(name: string, from?: string): string {
  const lookUp = from === undefined ? require : createRequire(join(from, "package.json"));
  return dirname(lookUp.resolve(`${name}/package.json`));
}

function versionOf(name: string): string {
  const text: unknown = JSON.parse(readFileSync(join(findPackage(name), "package.json"), "utf8"));
  if (typeof text !== "object" || text === null || !("version" in text) || typeof text.version !== "string") {
    throw new Error(`package ${name} of this product has no version`);
  }
  return text.version;
}

/**
 * Compiler and runtime of a language on this machine: an input of every closure, e.g.
 * `node 20.20.2, typescript 7.0.2, @types/node 20.19.43, linux-x64`. The platform is in it because third-party packages
 * may bring other files on another one.
 */
export function describeToolchain(language: Language): string {
  if (language === "files") return "none";
  const parts = ["typescript", "@types/node"].map((name) => `${name} ${versionOf(name)}`);
  return [`node ${process.versions.node}`, ...parts, `${process.platform}-${process.arch}`].join(", ");
}

/** Version of our own rules for a language: raised by hand when they change what comes out. */
export function describeBuilder(language: Language): string {
  return `${language}-1`;
}
