import { readGoLock } from "./go-lock.ts";
import { readGoByGrammar } from "./go-grammar.ts";
import { goModFile, goSumFile } from "./go-mod.ts";
import { toFileImports } from "./go-raw.ts";
import { isGoSource, isGoTest } from "./go-source.ts";
import { buildGoTool, defaultToolFolder, type GoToolReading, readByGoTool } from "./go-tool.ts";
import { findGo, type GoToolchain } from "./go-toolchain.ts";
import type { FileImports, ImportReader } from "./import-reader.ts";
import { readInHalves } from "./read-in-halves.ts";
import { createGoResolver, publishGoName } from "./resolve-go.ts";

/** Raised by hand when the readers find something else in the same bytes. */
const readerVersion = 1;

export interface CreateGoReader {
  /** Null: the grammar reads. */
  readonly toolchain?: GoToolchain | null;
  readonly toolFolder?: string;
}

/** By folder and version: a program is compiled once in a process, and what cannot be compiled is not tried again. */
const tools = new Map<string, Promise<GoTool>>();
const broken = new Set<string>();

type GoTool = { readonly kind: "program"; readonly program: string } | { readonly kind: "none"; readonly why: string };

/** Go, read by Go's own parser where there is a Go, else by the grammar. */
export function createGoReader(options: CreateGoReader = {}): ImportReader {
  const toolchain = options.toolchain === undefined ? findGo() : options.toolchain;
  const folder = options.toolFolder ?? defaultToolFolder();
  const id = `${folder} ${toolchain?.version}`;
  return {
    language: "go",
    factFiles: [goModFile, goSumFile],
    isSource: isGoSource,
    isTest: isGoTest,
    readerKey: () =>
      `go/${readerVersion}/${toolchain === null || broken.has(id) ? "grammar" : `go${toolchain.version}`}`,
    prepare: async () => {
      if (toolchain !== null) await openTool({ id, toolchain, folder });
    },
    readImports: async (files) => {
      const texts = files.map(({ text }) => text);
      if (toolchain === null) return readAllByGrammar(texts, null);
      const tool = await openTool({ id, toolchain, folder });
      if (tool.kind === "none") return readAllByGrammar(texts, tool.why);
      return readByTool((some) => readByGoTool(tool.program, some), texts);
    },
    publishNames: publishGoName,
    lockFiles: [goSumFile],
    readLock: readGoLock,
    createResolver: createGoResolver,
  };
}

async function openTool(options: { id: string; toolchain: GoToolchain; folder: string }): Promise<GoTool> {
  const known = tools.get(options.id) ?? compileTool(options);
  tools.set(options.id, known);
  return known;
}

async function compileTool({ id, toolchain, folder }: Parameters<typeof openTool>[0]): Promise<GoTool> {
  try {
    const program = await buildGoTool(toolchain, folder);
    // One that does not run here (a disk without programs) is as none too; what a file does to it is that file's.
    const tried = await readByGoTool(program, ["package a\n"]);
    if (tried.kind === "failed") throw new Error(`the reader of Go imports does not run: ${tried.why}`);
    return { kind: "program", program };
  } catch (error) {
    // No toolchain that compiles is as none: the grammar reads, and every batch says why.
    broken.add(id);
    return { kind: "none", why: error instanceof Error ? error.message : String(error) };
  }
}

/** By Go's own parser. What makes it fail is found by halves, read by the grammar, and says so. */
export async function readByTool(
  read: (texts: readonly string[]) => Promise<GoToolReading>,
  texts: readonly string[],
): Promise<readonly FileImports[]> {
  return readInHalves<string, FileImports>(texts, {
    read: async (some) => {
      const reading = await read(some);
      return reading.kind === "read" ? { kind: "read", files: reading.files.map(toFileImports) } : reading;
    },
    otherwise: async (some, why) =>
      (await readAllByGrammar(some, why)).map((one) => ({ ...one, isMakeshift: true as const })),
  });
}

/** `why` not by Go's own parser: said once, with the first file. */
async function readAllByGrammar(texts: readonly string[], why: string | null): Promise<FileImports[]> {
  const found: FileImports[] = [];
  for (const text of texts) found.push(toFileImports(await readGoByGrammar(text)));
  const [first] = found;
  if (why === null || first === undefined) return found;
  const message = `read by the grammar, not by Go's own parser: ${why}`.slice(0, 500);
  return [{ ...first, findings: [...first.findings, { severity: "warning", line: 0, message }] }, ...found.slice(1)];
}
