import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { findPackage } from "../../src/build/own-packages.ts";
import { createImportReaders } from "../../src/source/compare-sources.ts";
import type { ImportReader } from "../../src/source/imports/import-reader.ts";
import type { BenchContext } from "../main.ts";
import { generateSources } from "../mesh/generate-sources.ts";
import { percentile } from "../report/percentile.ts";
import { toRow, type Row } from "../report/row.ts";

const execute = promisify(execFile);
const files = 1_000;
const runs = 3;

/** A tool that answers what imports what, or as near as the language has one. */
interface Peer {
  readonly name: string;
  readonly note: string;
  run(folder: string, paths: readonly string[]): Promise<unknown>;
}

const run = (folder: string, program: string, words: readonly string[], env: Record<string, string> = {}) =>
  execute(program, words, {
    cwd: folder,
    env: { ...process.env, ...env },
    maxBuffer: 256 * 1024 * 1024,
    timeout: 120_000,
  });

const readByAst = `
import ast, sys
found = 0
for path in open(sys.argv[1]).read().split("\\n"):
    with open(path, "rb") as file:
        for node in ast.walk(ast.parse(file.read())):
            found += isinstance(node, (ast.Import, ast.ImportFrom))
print(found)
`;

const peers: Readonly<Record<string, readonly Peer[]>> = {
  typescript: [
    {
      name: "tsc --listFilesOnly",
      note: "follows imports, checks nothing",
      run: (folder) =>
        run(folder, process.execPath, [join(findPackage("typescript"), "bin/tsc"), "--listFilesOnly", "-p", "."]),
    },
    {
      name: "esbuild with a metafile",
      note: "bundles, writes nothing; drops imports of types",
      run: (folder, paths) =>
        build({
          absWorkingDir: folder,
          entryPoints: [...paths],
          bundle: true,
          metafile: true,
          write: false,
          outdir: "out",
          format: "esm",
          logLevel: "error",
        }),
    },
  ],
  go: [
    {
      name: "go list -e -deps -test -json",
      note: "one GOOS, GOARCH and set of tags",
      run: (folder) =>
        run(
          folder,
          "go",
          [
            "list",
            "-e",
            "-deps",
            "-test",
            "-json=ImportPath,Imports,TestImports,XTestImports,EmbedFiles,DepsErrors",
            "./...",
          ],
          { GOFLAGS: "-mod=mod", GOPROXY: "off", GOTOOLCHAIN: "local" },
        ),
    },
  ],
  python: [
    {
      name: "ast of the interpreter",
      note: "one process for all files",
      run: async (folder, paths) => {
        await writeFile(join(folder, "list"), paths.join("\n"));
        return run(folder, "python3", ["-I", "-c", readByAst, "list"]);
      },
    },
  ],
  rust: [
    {
      name: "cargo metadata --offline",
      note: "reads Cargo.toml and no source at all",
      run: (folder) => run(folder, "cargo", ["metadata", "--offline", "--all-features", "--format-version=1"]),
    },
  ],
};

/** Every reader there is, from files on disk to imports, beside the language's own tool on the same files. */
export async function benchImports(context: BenchContext): Promise<Row[]> {
  const rows: Row[] = [];
  for (const reader of createImportReaders().values()) {
    const generated = generateSources(reader.language, files);
    if (generated === null) continue;
    context.say(`imports: ${reader.language}`);
    const folder = await mkdtemp(join(tmpdir(), "mesh-bench-"));
    try {
      for (const [path, text] of Object.entries({ ...generated.sources, ...generated.beside })) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), text);
      }
      rows.push(...(await measure(context, reader, folder, Object.keys(generated.sources))));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  return rows;
}

async function measure(
  context: BenchContext,
  reader: ImportReader,
  folder: string,
  paths: readonly string[],
): Promise<Row[]> {
  const own = await time(() => readAll(reader, folder, paths));
  const note = `${Math.round(files / (percentile(own, 0.5) / 1000))} files a second`;
  const what = `${files} files of ${reader.language}`;
  const rows = [toRow({ bench: "imports", what: `${what}, this reader`, unit: "ms", values: own, note })];
  for (const peer of peers[reader.language] ?? []) {
    try {
      await peer.run(folder, paths);
    } catch (error) {
      // absence is the answer: not on this machine, or it does not take these files, and that is said.
      context.say(`imports: ${peer.name} was left out: ${String(error).slice(0, 500)}`);
      continue;
    }
    const theirs = await time(() => peer.run(folder, paths));
    const against = { words: peer.name, p50: percentile(theirs, 0.5) };
    rows.push(
      toRow({ bench: "imports", what: `${what}, ${peer.name}`, unit: "ms", values: theirs, note: peer.note }),
      toRow({ bench: "imports", what: `${what}, reader to tool`, unit: "ms", values: own, against }),
    );
  }
  return rows;
}

async function readAll(reader: ImportReader, folder: string, paths: readonly string[]): Promise<void> {
  const texts = await Promise.all(
    paths.map(async (path) => ({ path, text: await readFile(join(folder, path), "utf8") })),
  );
  const found = await reader.readImports(texts);
  const none = found.findIndex(({ imports }, at) => at >= 10 && imports.length === 0);
  if (none !== -1) throw new Error(`${paths[none]}: no import was found: ${JSON.stringify(found[none])}`);
}

async function time(act: () => Promise<unknown>): Promise<number[]> {
  await act();
  const values: number[] = [];
  for (let at = 0; at < runs; at += 1) {
    const from = performance.now();
    await act();
    values.push(performance.now() - from);
  }
  return values;
}
