import type { Language } from "../core/manifest.ts";
import { languageSchema } from "../core/manifest.ts";
import { findBuilder } from "./builders/builders.ts";

/** Compiler and runtime of a language on this machine: an input of every closure. */
export function describeToolchain(language: Language): string {
  const toolchain = findBuilder(language).describeToolchain();
  return toolchain.kind === "present" ? toolchain.text : `absent: ${toolchain.why}`;
}

/** Of every language. */
export function describeToolchains(): Readonly<Record<string, string>> {
  return Object.fromEntries(languageSchema.options.map((language) => [language, describeToolchain(language)]));
}

/** Looking costs some milliseconds, and a tenth of a second where a stand-in has to be asked. */
const lookEveryMs = 5_000;

/**
 * What is installed now, looked at again at most every few seconds: a toolchain that was put there, replaced or removed
 * is part of the next plan, and no controller has to be started again for it.
 */
export function createToolchainWatch(
  nowMs: () => number = () => performance.now(),
  look: typeof describeToolchains = describeToolchains,
): typeof describeToolchains {
  let last = { atMs: Number.NEGATIVE_INFINITY, toolchains: {} as Readonly<Record<string, string>> };
  return () => {
    if (nowMs() - last.atMs >= lookEveryMs) last = { atMs: nowMs(), toolchains: look() };
    return last.toolchains;
  };
}

/** Version of our own rules for a language: raised by hand when they change what comes out. */
export function describeBuilder(language: Language): string {
  return `${language}-${findBuilder(language).version}`;
}
