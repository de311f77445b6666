import type { Language } from "../core/manifest.ts";

/** Compiler and runtime of a language on this machine: an input of every closure, e.g. `node 20.20.2, typescript 7.0.2, …`. */
export function describeToolchain(_language: Language): string {
  throw new Error("not written yet");
}

/** Version of our own rules for a language: raised by hand when they change what comes out. */
export function describeBuilder(language: Language): string {
  return `${language}-1`;
}
