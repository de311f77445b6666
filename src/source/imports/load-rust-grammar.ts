import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Language, Parser } from "web-tree-sitter";

const require = createRequire(import.meta.url);
let loaded: Promise<Language> | null = null;

/** A parser of Rust, for the caller to `delete()`. The grammar is loaded once: nothing native, and nothing runs. */
export async function createRustParser(): Promise<Parser> {
  const language = await (loaded ??= loadGrammar());
  const parser = new Parser();
  parser.setLanguage(language);
  return parser;
}

async function loadGrammar(): Promise<Language> {
  await Parser.init();
  const folder = dirname(require.resolve("tree-sitter-rust/package.json"));
  return Language.load(await readFile(join(folder, "tree-sitter-rust.wasm")));
}
