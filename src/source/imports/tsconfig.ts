import { posix } from "node:path";
import { z } from "zod";
import type { Finding } from "../finding.ts";
import type { FactFiles } from "./import-reader.ts";
import { parseJson, stripJsonComments, tsconfigFile } from "./package-facts.ts";

const tsconfigSchema = z.looseObject({
  extends: z.union([z.string(), z.array(z.string())]).optional(),
  compilerOptions: z
    .looseObject({
      paths: z.record(z.string(), z.array(z.string())).nullable().optional(),
      types: z.array(z.string()).nullable().optional(),
      jsx: z.string().nullable().optional(),
      jsxImportSource: z.string().nullable().optional(),
      removeComments: z.boolean().nullable().optional(),
      sourceMap: z.boolean().nullable().optional(),
      inlineSourceMap: z.boolean().nullable().optional(),
      declarationMap: z.boolean().nullable().optional(),
    })
    .optional(),
});

/** A package that settings need: they extend it, or bring in its types or its JSX functions. */
export interface SettingsImport {
  readonly specifier: string;
  readonly file: string;
  readonly line: number;
}

export interface Settings {
  /** Pattern → paths relative to the module's folder. */
  readonly paths: ReadonlyMap<string, readonly string[]>;
  readonly imports: readonly SettingsImport[];
  /** What is said about comments and maps of positions, by option: both put the text of the source into the output. */
  readonly steady: ReadonlyMap<string, boolean>;
  readonly findings: readonly Finding[];
}

const steadyOptions = ["removeComments", "sourceMap", "inlineSourceMap", "declarationMap"] as const;

/** tsconfig files of a module: those of its own folder can be extended. */
export function isTsconfig(path: string): boolean {
  return (
    path.endsWith(".json") && /(^|\/)tsconfig([.-][\w.-]+)?\.json$/.test(path) && !/(^|\/)node_modules\//.test(path)
  );
}

/** Of files that extend each other. */
const chainLimit = 50;

/** Settings of another module that are extended: its fact files, and which of them; null: that file is none of them. */
export interface BaseElsewhere {
  readonly module: string;
  readonly facts: FactFiles;
  readonly file: string | null;
}

/** Null: no module publishes it. */
export type FindBase = (specifier: string) => BaseElsewhere | null;

interface Read {
  readonly facts: FactFiles;
  readonly findBase: FindBase;
  /** Of another module's settings: which, and where the module's own settings ask for them. */
  readonly elsewhere: { readonly module: string; readonly file: string; readonly line: number } | null;
  readonly seen: readonly string[];
  /** What was read before: two may extend one, and again two of these. */
  readonly known: Map<string, Options>;
  readonly imports: SettingsImport[];
  readonly findings: Finding[];
}

interface Options {
  paths?: ReadonlyMap<string, readonly string[]>;
  types?: readonly SettingsImport[];
  jsx?: string;
  jsxImportSource?: SettingsImport;
  steady?: ReadonlyMap<string, boolean>;
}

/**
 * tsconfig.json with all that it extends, as the compiler joins them: an option of the later file replaces the earlier. What another
 * module's settings bring counts as asked for where they are extended: the compiler looks for it from here.
 */
export function readSettings(facts: FactFiles, findBase: FindBase = () => null): Settings {
  const read: Read = { facts, findBase, elsewhere: null, seen: [], known: new Map(), imports: [], findings: [] };
  const options = facts.has(tsconfigFile) ? readFile(read, tsconfigFile) : {};
  const runtime = options.jsx?.startsWith("react-jsx") === true ? options.jsxImportSource : undefined;
  return {
    paths: options.paths ?? new Map<string, readonly string[]>(),
    imports: [...read.imports, ...(options.types ?? []), ...(runtime === undefined ? [] : [runtime])],
    steady: options.steady ?? new Map<string, boolean>(),
    findings: read.findings,
  };
}

function readFile(read: Read, file: string): Options {
  const text = read.facts.get(file) ?? "";
  const parsed = parseJson(stripJsonComments(text), file, tsconfigSchema);
  if (parsed.kind === "refused") {
    // Of another module it is that one's fault, and said there.
    if (read.elsewhere === null) read.findings.push(parsed.finding);
    return {};
  }
  const options: Options = {};
  const steady = new Map<string, boolean>();
  for (const base of [parsed.value.extends ?? []].flat()) {
    Object.assign(options, readBase(read, file, base));
    for (const [name, value] of options.steady ?? []) steady.set(name, value);
  }
  const compilerOptions = parsed.value.compilerOptions ?? {};
  const { paths, types, jsx, jsxImportSource } = compilerOptions;
  for (const name of steadyOptions)
    if (typeof compilerOptions[name] === "boolean") steady.set(name, compilerOptions[name]);
  options.steady = steady;
  const { elsewhere } = read;
  const place = (specifier: string): SettingsImport =>
    elsewhere === null
      ? { specifier, file, line: lineOf(text, specifier) }
      : { specifier, file: elsewhere.file, line: elsewhere.line };
  // Those of another module lead into its folder.
  if (paths && elsewhere === null) {
    const absolute = (target: string): string =>
      target.startsWith("${configDir}")
        ? `.${target.slice("${configDir}".length)}`
        : posix.join(posix.dirname(file), target);
    options.paths = new Map(Object.entries(paths).map(([key, targets]) => [key, targets.map(absolute)] as const));
  }
  if (types) options.types = types.map(place);
  if (jsx) options.jsx = jsx;
  if (jsxImportSource)
    options.jsxImportSource = { ...place(jsxImportSource), specifier: `${jsxImportSource}/jsx-runtime` };
  return options;
}

function readBase(read: Read, file: string, base: string): Options {
  const line = lineOf(read.facts.get(file) ?? "", base);
  const refuse = (why: string, severity: Finding["severity"] = "error"): Options => {
    if (read.elsewhere === null) read.findings.push({ severity, file, line, message: `extends ${base}, ${why}` });
    return {};
  };
  if (posix.isAbsolute(base)) return refuse("an absolute path: it is another one on every machine");
  if (!/^\.\.?(\/|$)/.test(base)) {
    const elsewhere = { file, line, ...read.elsewhere };
    read.imports.push({ specifier: base, file: elsewhere.file, line: elsewhere.line });
    const found = read.findBase(base);
    if (found === null) return {};
    if (found.file === null)
      return refuse("which is no tsconfig.<something>.json: what it brings is not seen", "warning");
    const key = `${found.module} ${found.file}`;
    if (read.seen.includes(key) || read.seen.length >= chainLimit) return refuse("which extends itself");
    return readFile(
      { ...read, facts: found.facts, elsewhere: { ...elsewhere, module: found.module }, seen: [...read.seen, key] },
      found.file,
    );
  }
  const joined = posix.normalize(posix.join(posix.dirname(file), base));
  const target = joined.endsWith(".json") ? joined : `${joined}.json`;
  if (target.startsWith("../")) return refuse("which is outside the module's folder: the build does not have it");
  if (!read.facts.has(target)) return refuse("which is not there, or is not called tsconfig.<something>.json");
  // Files of several modules may have one path.
  const keyOf = (path: string): string => (read.elsewhere === null ? path : `${read.elsewhere.module} ${path}`);
  if (target === file || read.seen.includes(keyOf(target))) return refuse("which extends this file itself");
  if (read.seen.length >= chainLimit) return refuse(`which is the ${chainLimit + 1}th of one chain`);
  const options = read.known.get(keyOf(target)) ?? readFile({ ...read, seen: [...read.seen, keyOf(file)] }, target);
  read.known.set(keyOf(target), options);
  return options;
}

/** Where a text stands in a file of settings; 0 where it is written in another way. */
function lineOf(text: string, value: string): number {
  const at = text.indexOf(JSON.stringify(value));
  return at === -1 ? 0 : text.slice(0, at).split("\n").length;
}
