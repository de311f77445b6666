import type { Finding } from "../../src/source/finding.ts";
import type { FileImports, ImportReader } from "../../src/source/imports/import-reader.ts";
import type { ModuleFolder } from "../../src/source/read-module-folders.ts";
import type { Repository } from "../../src/source/repository.ts";
import { deriveEdges } from "./derive-edges.ts";

/** Modules that are there too: folder beside the module's own → the files they publish a name by. */
const neighbours: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "rust-core": { "Cargo.toml": `[package]\nname = "rust-core"\n`, "src/lib.rs": "" },
  colour: { "Cargo.toml": `[package]\nname = "mesh-colour"\n`, "src/lib.rs": "" },
  std: { "Cargo.toml": `[package]\nname = "std"\n`, "src/lib.rs": "" },
};

/** The edges (`dependency kind file:line`) and findings of module `app` with these files, by the product's own derivation. */
export async function readEdges(
  reader: ImportReader,
  files: Readonly<Record<string, string>>,
): Promise<{ readonly edges: readonly string[]; readonly findings: readonly Finding[] }> {
  const folders = new Map<string, ModuleFolder>();
  const imports = new Map<string, Map<string, FileImports>>();
  for (const [module, own] of Object.entries({ ...neighbours, app: files })) {
    const texts = Object.entries(own).filter(([path]) => reader.isSource(path));
    const read = await reader.readImports(texts.map(([path, text]) => ({ path, text })));
    for (const [at, [path]] of texts.entries()) {
      const found = read[at];
      if (found === undefined) throw new Error(`${path} was to be read`);
      const key = reader.readerKey(path);
      imports.set(key, (imports.get(key) ?? new Map<string, FileImports>()).set(`${module}/${path}`, found));
    }
    folders.set(module, {
      module: { module, repository: "one", branch: "main", path: module },
      repository: null as unknown as Repository,
      commit: { id: "0".repeat(40) } as unknown as ModuleFolder["commit"],
      tree: null,
      thirdParties: null,
      files: Object.keys(own).map((path) => ({ path, mode: "644", blob: `${module}/${path}`, bytes: 1 })),
      manifest: { language: reader.language } as unknown as NonNullable<ModuleFolder["manifest"]>,
      facts: new Map(Object.entries(own).filter(([path]) => reader.factFiles.includes(path))),
      findings: [],
      problem: null,
    });
  }
  const derived = deriveEdges({ folders, imports, readers: new Map([[reader.language, reader]]) }).get("app");
  if (derived === undefined) throw new Error("app was given");
  return {
    edges: derived.edges.map((edge) => `${edge.dependency} ${edge.kind} ${edge.file}:${edge.line}`),
    findings: derived.findings,
  };
}
