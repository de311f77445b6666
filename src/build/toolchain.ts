import type { Language } from "../core/manifest.ts";
import { findBuilder } from "./builders/builders.ts";

/** Compiler and runtime of a language on this machine: an input of every closure. */
export function describeToolchain(language: Language): string {
  const toolchain = findBuilder(language).describeToolchain();
  return toolchain.kind === "present" ? toolchain.text : `absent: ${toolchain.why}`;
}

/** Version of our own rules for a language: raised by hand when they change what comes out. */
export function describeBuilder(language: Language): string {
  return `${language}-${findBuilder(language).version}`;
}
