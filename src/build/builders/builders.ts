import type { Language } from "../../core/manifest.ts";
import { type Builder, outstanding } from "./builder.ts";
import { createFilesBuilder } from "./files.ts";
import { createGoBuilder } from "./go.ts";
import { createPythonBuilder } from "./python.ts";
import { createRustBuilder } from "./rust.ts";
import { createTypeScriptBuilder } from "./typescript.ts";

/** One per language; a language is added here and nowhere else in this folder. */
const all = [
  createTypeScriptBuilder(),
  createGoBuilder(),
  createPythonBuilder(),
  createRustBuilder(),
  createFilesBuilder(),
] as const;
const builders: ReadonlyMap<Language, Builder> = new Map(all.map((builder) => [builder.language, builder]));

export function findBuilder(language: Language): Builder {
  return builders.get(language) ?? createMissingBuilder(language);
}

/** A language that manifests may name and this version does not build yet: its modules are outstanding, never unfit. */
function createMissingBuilder(language: Language): Builder {
  const why = `this version has no builder for ${language}`;
  return {
    language,
    version: "0",
    describeToolchain: () => ({ kind: "absent", why, next: "use a version that has one" }),
    keeps: () => true,
    build: () => Promise.resolve(outstanding("toolchain", why)),
  };
}
