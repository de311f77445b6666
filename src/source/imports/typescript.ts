import { type ImportDeclaration, parse, type ParseResult, Visitor } from "oxc-parser";
import { isTypeScriptSource, isTypeScriptTest } from "./typescript-source.ts";
import { createLoaders, literalOf, literalOfFile, type Node } from "./typescript-loaders.ts";
import { listJsdocImports } from "./jsdoc-imports.ts";
import { createTypeScriptResolver } from "./resolve-typescript.ts";
import { noteModule } from "./typescript-noted.ts";
import { readHeader } from "./typescript-header.ts";
import { mayBeRecorded, readRecord, type RecordedImport } from "./typescript-record.ts";
import { mayBeTooDeep, tryDeepTexts } from "./typescript-depth.ts";
import { isTsconfig } from "./tsconfig.ts";
import type { FileImports, Import, ImportKind, ImportReader, SourceText } from "./import-reader.ts";
import { lockFile, packageFacts, readPackageName } from "./package-facts.ts";
import { readPackageLock } from "./package-lock.ts";
import { readMemberLock } from "./workspace-lock.ts";

/** Raised by hand when the reader finds something else in the same bytes. */
const readerVersion = 6;

/** TypeScript and JavaScript, read by oxc: the parser is the judge, no text in comments or strings is an import. */
export function createTypeScriptReader(): ImportReader {
  return {
    language: "typescript",
    factFiles: packageFacts,
    isFact: isTsconfig,
    isSource: isTypeScriptSource,
    isTest: isTypeScriptTest,
    readerKey: (path) => keyOfEnding(endingOf(path)),
    needsBytesAlone: true,
    readImports: readAllImports,
    publishNames: ({ facts }) => readPackageName(facts),
    lockFiles: [lockFile],
    readLock: readPackageLock,
    workspaceLock: { file: lockFile, read: readMemberLock },
    createResolver: createTypeScriptResolver,
  };
}

const keys = new Map<string, string>();

/** Asked for each of thousands of files, which have a dozen endings. */
function keyOfEnding(ending: string): string {
  const known = keys.get(ending);
  if (known !== undefined) return known;
  const key = `typescript/${readerVersion}/${dialectOf(ending)}/${sourceType(ending)}`;
  if (keys.size < endingsKept) keys.set(ending, key);
  return key;
}

/** Of what is no source too: there is no end of them. */
const endingsKept = 100;

/** All that dialect and kind of a file are told by. */
function endingOf(path: string): string {
  const dot = path.lastIndexOf(".");
  return path.endsWith(".d", dot) ? path.slice(dot - 2) : path.slice(Math.max(dot, 0));
}

type Dialect = "ts" | "tsx" | "dts" | "jsx" | "cts";

function dialectOf(path: string): Dialect {
  if (/\.d\.[mc]?ts$/.test(path)) return "dts";
  if (path.endsWith(".cts")) return "cts";
  if (path.endsWith(".tsx")) return "tsx";
  return /\.m?ts$/.test(path) ? "ts" : "jsx";
}

/** The parser works on threads of its own, so many files at once: of more their trees would lie about and be copied. */
const filesAtOnce = 16;

async function readAllImports(files: readonly SourceText[]): Promise<readonly FileImports[]> {
  const headers = files.map(readFromHeader);
  const parsed = await parseAll(files.filter((_, at) => headers[at] === null));
  return files.map((file, at) => {
    const imports = headers[at] ?? parsed.get(file);
    if (imports === undefined) throw new Error(`${file.path} was not read`);
    return imports;
  });
}

/** Null: the parser is asked. */
function readFromHeader({ path, text }: SourceText): FileImports | null {
  if (sourceType(path) === "commonjs") return null;
  const recorded = readHeader(text, dialectOf(path) !== "jsx");
  return recorded === null ? null : collectRecorded(recorded, text);
}

async function parseAll(files: readonly SourceText[]): Promise<ReadonlyMap<SourceText, FileImports>> {
  const found = new Map(await refuseTooDeep(files));
  const left = files.values();
  const readOn = async (): Promise<void> => {
    for (const file of left) if (!found.has(file)) found.set(file, await readImports(file.path, file.text));
  };
  await Promise.all(Array.from({ length: filesAtOnce }, readOn));
  return found;
}

/** What would take this process along is found in another one. */
async function refuseTooDeep(files: readonly SourceText[]): Promise<ReadonlyMap<SourceText, FileImports>> {
  const deep = files.filter(({ text }) => mayBeTooDeep(text));
  if (deep.length === 0) return new Map();
  const tried = await tryDeepTexts(deep.map(({ path, text }) => ({ path, text, options: optionsOf(path) })));
  return new Map(
    deep.flatMap((file, at) => {
      const why = tried[at] ?? null;
      return why === null ? [] : [[file, unreadable(why)] as const];
    }),
  );
}

function unreadable(why: string): FileImports {
  const message = `cannot be read, so its imports are not known: ${why}`;
  return { imports: [], findings: [{ severity: "error", line: 0, message }] };
}

function optionsOf(path: string) {
  const dialect = dialectOf(path);
  return { lang: dialect === "cts" ? "ts" : dialect, sourceType: sourceType(path) } as const;
}

async function readImports(path: string, text: string): Promise<FileImports> {
  try {
    return await parseImports(path, text);
  } catch (error) {
    // The parser came down there, and the walk through its tree does not.
    if (error instanceof RangeError && /call stack/.test(error.message))
      return unreadable("it is nested more deeply than can be read");
    throw error;
  }
}

async function parseImports(path: string, text: string): Promise<FileImports> {
  const options = optionsOf(path);
  const recorded = mayBeRecorded(text) ? readRecord(await noteModule(path, text, options), text) : null;
  if (recorded !== null) return collectRecorded(recorded, text);
  const parsed = await parse(path, text, options);
  const found = collectFromTree(parsed, text, options.lang === "jsx" ? "javascript" : "typescript");
  const faults = parsed.errors.slice(0, 5).map((error) => ({
    severity: "error" as const,
    line: found.lineAt(error.labels[0]?.start ?? 0),
    message: `cannot be read, so its imports are not known: ${error.message.slice(0, 300)}`,
  }));
  return { imports: found.imports, findings: [...faults, ...found.findings] };
}

function sourceType(path: string): "module" | "commonjs" | "unambiguous" {
  if (/\.m[tj]s$/.test(path)) return "module";
  return /\.c[tj]s$/.test(path) ? "commonjs" : "unambiguous";
}

interface Collected extends FileImports {
  readonly lineAt: (offset: number) => number;
}

function collectRecorded(recorded: readonly RecordedImport[], text: string): FileImports {
  if (recorded.length === 0) return { imports: [], findings: [] };
  const { imports, findings, add } = createCollection(text);
  for (const { specifier, kind, offset } of recorded) add(specifier, kind, offset);
  return { imports, findings };
}

/** Exported for the test that holds `readRecord` to it. */
export function collectFromTree(
  parsed: ParseResult,
  text: string,
  language: "javascript" | "typescript" = "typescript",
): Collected {
  const found = createCollection(text);
  const { add, addLiteral } = found;
  const loaders = createLoaders();
  const isModule = parsed.module.hasModuleSyntax;
  // The parser's own list of imports leaves out `export {} from "x"` and what stands in `declare module` blocks.
  new Visitor({
    ImportDeclaration: (node) => {
      add(node.source.value, kindOfImport(node), node.start);
      loaders.see(node);
    },
    ExportNamedDeclaration: (node) => {
      if (node.source === null) return;
      const types = node.specifiers.length > 0 && node.specifiers.every((one) => one.exportKind === "type");
      add(node.source.value, node.exportKind === "type" || types ? "type" : "reexport", node.start);
    },
    ExportAllDeclaration: (node) =>
      add(node.source.value, node.exportKind === "type" ? "type" : "reexport", node.start),
    ImportExpression: (node) => addLiteral(node.source, "dynamic", node.start, "import()"),
    TSImportType: (node) => add(node.source.value, "type", node.start),
    TSImportEqualsDeclaration: (node) => {
      if (node.moduleReference.type !== "TSExternalModuleReference") return;
      add(node.moduleReference.expression.value, node.importKind === "type" ? "type" : "require", node.start);
    },
    // In a file that is no module itself it declares that name and needs nothing.
    TSModuleDeclaration: (node) => {
      if (isModule && node.id.type === "Literal") add(node.id.value, "type", node.start);
    },
    VariableDeclarator: (node) => loaders.see(node),
    AssignmentExpression: (node) => loaders.see(node),
    CallExpression: (node) => loaders.call(node),
    NewExpression: (node) => {
      const path = literalOfFile(node);
      if (path !== null) add(path, "dynamic", node.start);
    },
  }).visit(parsed.program);
  for (const node of loaders.list()) addLiteral(node.arguments[0], "require", node.start, "require()");
  for (const node of loaders.listLost())
    found.warn(node.start, "what createRequire gives is kept under no plain name: what is loaded by it is not known");
  addComments(parsed, add);
  // In TypeScript they are text.
  if (language === "javascript")
    for (const { specifier, offset } of listJsdocImports(parsed.comments))
      add(specifier, "type", offset, { optional: true });
  return { imports: found.imports.toSorted((a, b) => a.line - b.line), findings: found.findings, lineAt: found.lineAt };
}

type Add = (specifier: string, kind: ImportKind, offset: number, more?: Pick<Import, "optional">) => void;

interface Collection extends Collected {
  readonly add: Add;
  readonly addLiteral: (node: Node | undefined, kind: ImportKind, offset: number, what: string) => void;
  readonly warn: (offset: number, message: string) => void;
}

function createCollection(text: string): Collection {
  const lineAt = createLineFinder(text);
  const imports: Import[] = [];
  const findings: FileImports["findings"] = [];
  const add: Add = (specifier, kind, offset, more = {}) => {
    const line = lineAt(offset);
    if (/\p{Cc}/u.test(specifier) || !specifier.isWellFormed() || specifier.length > 500) {
      findings.push({
        severity: "error",
        line,
        message: "imports a name with control characters, or one longer than 500",
      });
    } else imports.push({ specifier, kind, line, ...more });
  };
  const warn = (offset: number, message: string): void =>
    void findings.push({ severity: "warning", line: lineAt(offset), message });
  return {
    imports,
    findings,
    lineAt,
    add,
    warn,
    addLiteral: (node, kind, offset, what) => {
      const specifier = node === undefined ? null : literalOf(node);
      if (specifier !== null) return add(specifier, kind, offset);
      warn(offset, `${what} of a computed name: what it needs is not known`);
    },
  };
}

/** What only comments say: references to types, and where the functions are that JSX becomes. */
function addComments(parsed: ParseResult, add: Add): void {
  const firstStatement = parsed.program.body[0]?.start ?? Number.POSITIVE_INFINITY;
  for (const comment of parsed.comments) {
    if (comment.start > firstStatement) return;
    const runtime = /@jsxImportSource\s+(\S+)/.exec(comment.value)?.[1];
    if (comment.type === "Block" && runtime !== undefined) add(`${runtime}/jsx-runtime`, "static", comment.start);
    const reference = /^\/\s*<reference\s+(types|path)\s*=\s*["']([^"']+)["']/.exec(comment.value);
    if (comment.type !== "Line" || reference?.[2] === undefined) continue;
    const target = reference[2];
    add(reference[1] === "path" && !target.startsWith(".") ? `./${target}` : target, "type", comment.start);
  }
}

/** A clause without names is run for its effects; one with types only leaves nothing in the compiled code. */
function kindOfImport({ importKind, specifiers }: ImportDeclaration): ImportKind {
  if (importKind === "type") return "type";
  if (specifiers.length === 0) return "side-effect";
  const types = specifiers.every((one) => one.type === "ImportSpecifier" && one.importKind === "type");
  return types ? "type" : "static";
}

function createLineFinder(text: string): (offset: number) => number {
  // Most files import little, and many nothing: where the lines begin is asked for late.
  let starts: readonly number[] | null = null;
  return (offset) => {
    starts ??= listLineStarts(text);
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
}

function listLineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
