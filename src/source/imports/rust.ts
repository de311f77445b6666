import { createRustParser } from "./load-rust-grammar.ts";
import type { FileImports, ImportReader, ModuleText, PublishedNames, SourceText } from "./import-reader.ts";
import { readCargoLock } from "./rust-lock.ts";
import { cargoFile, cargoLockFile, identifierOf, readCargoManifest, rustOwnNames } from "./rust-manifest.ts";
import { createRustResolver } from "./rust-resolve.ts";
import { isRustSource, isRustTest } from "./rust-source.ts";
import { parseWithin } from "./parse-within.ts";
import { collectRustImports } from "./rust-syntax.ts";

/** Raised by hand when the reader finds something else in the same bytes. */
const readerVersion = 1;

/**
 * Rust: what Cargo.toml declares is what a crate is built against, because the compiler refuses everything else. The
 * code itself only says where a crate is used, and what it uses without declaring it.
 */
export function createRustReader(): ImportReader {
  return {
    language: "rust",
    factFiles: [cargoFile, cargoLockFile],
    isSource: isRustSource,
    isTest: isRustTest,
    readerKey: () => `rust/${readerVersion}`,
    readImports,
    publishNames,
    lockFiles: [cargoLockFile],
    readLock: readCargoLock,
    createResolver: createRustResolver,
  };
}

async function readImports(files: readonly SourceText[]): Promise<FileImports[]> {
  const parser = await createRustParser();
  try {
    return files.map(({ text }) => {
      const parsing = parseWithin(parser, text);
      if (parsing.kind === "refused") {
        const message = `cannot be read, so its imports are not known: ${parsing.why}`;
        return { imports: [], findings: [{ severity: "error", line: 0, message }] };
      }
      const { tree } = parsing;
      try {
        return collectRustImports(tree);
      } finally {
        tree.delete();
      }
    });
  } finally {
    parser.delete();
  }
}

/** The package's name, and how code writes it: two packages that code cannot tell apart are rivals. */
function publishNames({ facts, files }: ModuleText): PublishedNames {
  const reading = readCargoManifest(facts.get(cargoFile));
  if (reading.kind !== "manifest") return { names: [], findings: reading.kind === "refused" ? [reading.finding] : [] };
  const { name, lineOf, value } = reading.manifest;
  const library = value["lib"];
  // A program: nobody can import it.
  if (library === undefined && !files.includes("src/lib.rs")) return { names: [], findings: [] };
  const identifier = identifierOf(name);
  const line = lineOf(["package", "name"]);
  if (rustOwnNames.has(identifier)) {
    const message = `${name} is a name that Rust keeps for itself: no module can import this one`;
    return { names: [], findings: [{ severity: "warning", file: cargoFile, line, message }] };
  }
  const own = typeof library === "object" && library !== null && "name" in library ? library.name : undefined;
  if (own !== undefined && own !== identifier) {
    const message = `lib.name is another name than the package's: others find a crate as ${identifier}. Leave it out, or rename the package`;
    return {
      names: [],
      findings: [{ severity: "error", file: cargoFile, line: lineOf(["lib", "name"]), message }],
    };
  }
  return { names: [...new Set([name, identifier])], findings: [] };
}
