import { parseSync, type ParseResult, Visitor } from "oxc-parser";
import { isTypeScriptSource, isTypeScriptTest } from "./typescript-source.ts";
import { createTypeScriptResolver } from "./resolve-typescript.ts";
import type { FileImports, Import, ImportKind, ImportReader } from "./import-reader.ts";
import { lockFile, packageFacts, readPackageLock, readPackageName } from "./package-facts.ts";

/** Raised by hand when the reader finds something else in the same bytes. */
const readerVersion = 1;

/** TypeScript and JavaScript, read by oxc: the parser is the judge, no text in comments or strings is an import. */
export function createTypeScriptReader(): ImportReader {
  return {
    language: "typescript",
    factFiles: packageFacts,
    isSource: isTypeScriptSource,
    isTest: isTypeScriptTest,
    readerKey: (path) => `typescript/${readerVersion}/${dialectOf(path)}`,
    readImports: (files) => Promise.resolve(files.map(({ path, text }) => readImports(path, text))),
    publishNames: ({ facts }) => readPackageName(facts),
    lockFiles: [lockFile],
    readLock: readPackageLock,
    createResolver: createTypeScriptResolver,
  };
}

type Dialect = "ts" | "tsx" | "dts" | "jsx" | "cts";

function dialectOf(path: string): Dialect {
  if (/\.d\.[mc]?ts$/.test(path)) return "dts";
  if (path.endsWith(".cts")) return "cts";
  if (path.endsWith(".tsx")) return "tsx";
  return /\.m?ts$/.test(path) ? "ts" : "jsx";
}

function readImports(path: string, text: string): FileImports {
  const dialect = dialectOf(path);
  const parsed = parseSync(path, text, { lang: dialect === "cts" ? "ts" : dialect, sourceType: sourceType(path) });
  const found = collect(parsed, text);
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

interface Collected {
  readonly imports: Import[];
  readonly findings: FileImports["findings"];
  readonly lineAt: (offset: number) => number;
}

function collect(parsed: ParseResult, text: string): Collected {
  const lineAt = createLineFinder(text);
  const imports: Import[] = [];
  const findings: FileImports["findings"] = [];
  const add = (specifier: string, kind: ImportKind, offset: number): void => {
    const line = lineAt(offset);
    if (/\p{Cc}/u.test(specifier) || !specifier.isWellFormed() || specifier.length > 500) {
      findings.push({
        severity: "error",
        line,
        message: "imports a name with control characters, or one longer than 500",
      });
    } else imports.push({ specifier, kind, line });
  };
  const addLiteral = (node: Argument | undefined, kind: ImportKind, offset: number, what: string): void => {
    const specifier = node === undefined ? null : literalOf(node);
    if (specifier !== null) add(specifier, kind, offset);
    else
      findings.push({
        severity: "warning",
        line: lineAt(offset),
        message: `${what} of a computed name: what it needs is not known`,
      });
  };
  for (const statement of parsed.module.staticImports) {
    const types = statement.entries.length > 0 && statement.entries.every((entry) => entry.isType);
    const kind = types ? "type" : statement.entries.length === 0 ? "side-effect" : "static";
    add(statement.moduleRequest.value, kind, statement.start);
  }
  for (const statement of parsed.module.staticExports) {
    const request = statement.entries.find((entry) => entry.moduleRequest !== null)?.moduleRequest;
    if (request)
      add(request.value, statement.entries.every((entry) => entry.isType) ? "type" : "reexport", statement.start);
  }
  new Visitor({
    ImportExpression: (node) => addLiteral(node.source, "dynamic", node.start, "import()"),
    TSImportType: (node) => add(node.source.value, "type", node.start),
    TSImportEqualsDeclaration: (node) => {
      if (node.moduleReference.type !== "TSExternalModuleReference") return;
      add(node.moduleReference.expression.value, node.importKind === "type" ? "type" : "require", node.start);
    },
    CallExpression: (node) => {
      if (isRequire(node.callee)) addLiteral(node.arguments[0], "require", node.start, "require()");
    },
  }).visit(parsed.program);
  const firstStatement = parsed.program.body[0]?.start ?? Number.POSITIVE_INFINITY;
  for (const comment of parsed.comments) {
    const reference = /^\/\s*<reference\s+(types|path)\s*=\s*["']([^"']+)["']/.exec(comment.value);
    if (comment.type !== "Line" || comment.start > firstStatement || reference?.[2] === undefined) continue;
    const target = reference[2];
    add(reference[1] === "path" && !target.startsWith(".") ? `./${target}` : target, "type", comment.start);
  }
  return { imports: imports.toSorted((a, b) => a.line - b.line), findings, lineAt };
}

type Argument = { readonly type: string };

/** A string, or a template without substitutions. */
function literalOf(node: Argument): string | null {
  if (node.type === "Literal" && "value" in node && typeof node.value === "string") return node.value;
  if (node.type !== "TemplateLiteral" || !("quasis" in node) || !Array.isArray(node.quasis) || node.quasis.length !== 1)
    return null;
  const only: unknown = node.quasis[0];
  if (typeof only !== "object" || only === null || !("value" in only)) return null;
  const value: unknown = only.value;
  return typeof value === "object" && value !== null && "cooked" in value && typeof value.cooked === "string"
    ? value.cooked
    : null;
}

/** `require(…)`, `require.resolve(…)` and `import.meta.resolve(…)`. */
function isRequire(callee: Argument): boolean {
  if (callee.type === "Identifier") return "name" in callee && callee.name === "require";
  if (callee.type !== "MemberExpression" || !("object" in callee) || !("property" in callee)) return false;
  const { object, property } = callee;
  if (typeof object !== "object" || object === null || typeof property !== "object" || property === null) return false;
  if (!("name" in property) || property.name !== "resolve") return false;
  return ("name" in object && object.name === "require") || ("type" in object && object.type === "MetaProperty");
}

function createLineFinder(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
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
