import type { Language } from "../../src/core/manifest.ts";

const filesPerFolder = 10;
const importsPerFile = 3;

/** What one language's files look like. */
interface Shape {
  readonly path: (at: number) => string;
  readonly text: (at: number, others: readonly number[]) => string;
  /** What the language's own tool wants to see beside them. */
  readonly beside: (count: number) => Readonly<Record<string, string>>;
}

const folderOf = (at: number): string => `p${Math.floor(at / filesPerFolder)}`;
const body = (line: (step: number) => string): string => Array.from({ length: 40 }, (_, step) => line(step)).join("\n");

const shapes: Partial<Record<Language, Shape>> = {
  typescript: {
    path: (at) => `src/${folderOf(at)}/f${at}.ts`,
    text: (at, others) =>
      `${others.map((to) => `import { value as v${to} } from "../${folderOf(to)}/f${to}.ts";`).join("\n")}\n` +
      `${body((step) => `// import "nothing";\nfunction step${step}(input: number): number { return input * ${step}; }`)}\n` +
      `export const value: number = [${others.map((to) => `v${to}`).join(", ")}].length + step0(${at});\n`,
    beside: () => ({
      "package.json": `{"name":"bench","type":"module"}\n`,
      "tsconfig.json": `{"compilerOptions":{"module":"nodenext","allowImportingTsExtensions":true,"noEmit":true,"types":[]},"include":["src"]}\n`,
    }),
  },
  go: {
    path: (at) => `${folderOf(at)}/f${at}.go`,
    text: (at, others) => {
      const folders = new Set(others.map(folderOf).filter((folder) => folder !== folderOf(at)));
      return (
        `package ${folderOf(at)}\n\nimport (\n\t"strings"\n${[...folders].map((to) => `\t_ "bench.test/all/${to}"\n`).join("")})\n\n` +
        `${body((step) => `// import "nothing"\nfunc step${at}x${step}(input string) string { return strings.Repeat(input, ${step}) }`)}\n`
      );
    },
    beside: () => ({ "go.mod": "module bench.test/all\n\ngo 1.21\n" }),
  },
  python: {
    path: (at) => `src/${folderOf(at)}/f${at}.py`,
    text: (at, others) =>
      `import os\n${others.map((to) => `from ${folderOf(to)} import f${to}`).join("\n")}\n\n` +
      `${body((step) => `# import nothing\ndef step${step}(value: int) -> int:\n    return value * ${step} + ${at}\n`)}\n`,
    beside: () => ({ "pyproject.toml": `[project]\nname = "bench"\nversion = "1"\n` }),
  },
  rust: {
    path: (at) => `src/${folderOf(at)}/f${at}.rs`,
    text: (at, others) =>
      `use std::fmt;\n${others.map((to) => `use crate::${folderOf(to)}::f${to};`).join("\n")}\n\n` +
      `${body((step) => `// use nothing;\npub fn step${step}(value: u64) -> u64 { value * ${step} + ${at} }`)}\n`,
    beside: (count) => ({
      "Cargo.toml": `[package]\nname = "bench"\nversion = "0.1.0"\nedition = "2021"\n`,
      "src/lib.rs": [...new Set(Array.from({ length: count }, (_, at) => folderOf(at)))]
        .map((name) => `pub mod ${name};\n`)
        .join(""),
    }),
  },
};

export interface GeneratedSources {
  /** Those that import, by path. */
  readonly sources: Readonly<Record<string, string>>;
  readonly beside: Readonly<Record<string, string>>;
}

/** So many files of one language, each with three imports of files before it; null for a language that has no shape here. */
export function generateSources(language: Language, count: number): GeneratedSources | null {
  const shape = shapes[language];
  if (shape === undefined) return null;
  const sources: Record<string, string> = {};
  for (let at = 0; at < count; at += 1) {
    const below = Math.floor(at / filesPerFolder) * filesPerFolder;
    const others =
      below === 0 ? [] : Array.from({ length: importsPerFile }, (_, which) => (at * 7 + which * 31) % below);
    sources[shape.path(at)] = shape.text(at, [...new Set(others)]);
  }
  return { sources, beside: shape.beside(count) };
}
