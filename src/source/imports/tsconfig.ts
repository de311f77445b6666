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

interface Read {
  readonly facts: FactFiles;
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

/** tsconfig.json with all that it extends, as the compiler joins them: an option of the later file replaces the earlier. */
export function readSettings(facts: FactFiles): Settings {
  const read: Read = { facts, seen: [], known: new Map(), imports: [], findings: [] };
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
    read.findings.push(parsed.finding);
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
  const place = (specifier: string): SettingsImport => ({ specifier, file, line: lineOf(text, specifier) });
  if (paths) {
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
  const refuse = (why: string): Options => {
    const line = lineOf(read.facts.get(file) ?? "", base);
    read.findings.push({ severity: "error", file, line, message: `extends ${base}, ${why}` });
    return {};
  };
  if (posix.isAbsolute(base)) return refuse("an absolute path: it is another one on every machine");
  if (!/^\.\.?(\/|$)/.test(base)) {
    read.imports.push({ specifier: base, file, line: lineOf(read.facts.get(file) ?? "", base) });
    return {};
  }
  const joined = posix.normalize(posix.join(posix.dirname(file), base));
  const target = joined.endsWith(".json") ? joined : `${joined}.json`;
  if (target.startsWith("../")) return refuse("which is outside the module's folder: the build does not have it");
  if (!read.facts.has(target)) return refuse("which is not there, or is not called tsconfig.<something>.json");
  if (target === file || read.seen.includes(target)) return refuse("which extends this file itself");
  if (read.seen.length >= chainLimit) return refuse(`which is the ${chainLimit + 1}th of one chain`);
  const options = read.known.get(target) ?? readFile({ ...read, seen: [...read.seen, file] }, target);
  read.known.set(target, options);
  return options;
}

/** Where a text stands in a file of settings; 0 where it is written in another way. */
function lineOf(text: string, value: string): number {
  const at = text.indexOf(JSON.stringify(value));
  return at === -1 ? 0 : text.slice(0, at).split("\n").length;
}
