import { posix } from "node:path";
import type { Name } from "../core/names.ts";
import { compareText } from "../decide/short-names.ts";
import { describeFinding, type Finding } from "./finding.ts";
import type { FileImports, ImportReader, PublishedNames, Resolver } from "./imports/import-reader.ts";
import { importsKey } from "./imports/read-module-imports.ts";
import type { ModuleFolder } from "./read-module-folders.ts";
import type { RegisteredModule, SourceEdge, SourceFacts } from "./source-facts.ts";

export interface DeriveEdges {
  readonly registered: readonly RegisteredModule[];
  readonly folders: ReadonlyMap<Name, ModuleFolder>;
  /** By `importsKey`. */
  readonly imports: ReadonlyMap<string, FileImports>;
  readonly readers: ReadonlyMap<string, ImportReader>;
}

/** A module with thousands of faults is shown by its first ones. */
const findingsLimit = 200;

/** From what files import to which modules each module is built against (R4). A function of its input. */
export function deriveEdges(options: DeriveEdges): ReadonlyMap<Name, SourceFacts> {
  const published = publishNames(options);
  const facts = new Map<Name, SourceFacts>();
  for (const [name, folder] of options.folders) facts.set(name, deriveModule(options, folder, published));
  return facts;
}

interface Published {
  /** By language, then by name: each language has names of its own. */
  readonly owners: ReadonlyMap<string, ReadonlyMap<string, Name>>;
  /** What a module says of its own names, and those who publish one of them too. */
  readonly byModule: ReadonlyMap<Name, PublishedNames & { readonly rivals: readonly Rival[] }>;
}

interface Rival {
  readonly name: string;
  readonly module: Name;
}

function publishNames(options: DeriveEdges): Published {
  const claims = new Map<string, Map<string, Name[]>>();
  const said = new Map<Name, PublishedNames & { readonly language: string }>();
  // By name, so that it never depends on the order of the modules who stands first among those that claim one.
  for (const [module, folder] of [...options.folders].toSorted(([a], [b]) => compareText(a, b))) {
    const reader = readerOf(options, folder);
    if (reader === undefined) continue;
    const own = reader.publishNames({ facts: folder.facts, files: folder.files.map((file) => file.path) });
    said.set(module, { ...own, language: reader.language });
    const names = claims.get(reader.language) ?? new Map<string, Name[]>();
    claims.set(reader.language, names);
    for (const name of own.names) names.set(name, [...(names.get(name) ?? []), module]);
  }
  const owners = new Map<string, Map<string, Name>>();
  // Even where two claim one name, an import of it is an edge: both claimants are broken until one gives it up.
  for (const [language, names] of claims) {
    const first = [...names].flatMap(([name, [module]]) => (module === undefined ? [] : [[name, module] as const]));
    owners.set(language, new Map(first));
  }
  const byModule = new Map(
    [...said].map(([module, own]) => {
      const rivals = own.names.flatMap((name) =>
        (claims.get(own.language)?.get(name) ?? []).flatMap((other) =>
          other === module ? [] : [{ name, module: other }],
        ),
      );
      return [module, { ...own, rivals }] as const;
    }),
  );
  return { owners, byModule };
}

function readerOf(options: DeriveEdges, folder: ModuleFolder): ImportReader | undefined {
  return folder.manifest === null ? undefined : options.readers.get(folder.manifest.language);
}

function deriveModule(options: DeriveEdges, folder: ModuleFolder, published: Published): SourceFacts {
  const { module } = folder.module;
  const reader = readerOf(options, folder);
  const own = published.byModule.get(module);
  const findings: Finding[] = [...folder.findings, ...(own?.findings ?? [])];
  const edges = new Map<Name, SourceEdge>();
  if (reader !== undefined) {
    const resolver = reader.createResolver({
      module,
      facts: folder.facts,
      files: folder.files.map((file) => file.path),
      published: published.owners.get(reader.language) ?? new Map<string, Name>(),
      ownerOfPath: (path) => findOwner(options.registered, folder.module, path),
      factsOf: (other) => options.folders.get(other)?.facts ?? new Map<string, string>(),
    });
    findings.push(...resolver.findings);
    for (const rival of own?.rivals ?? []) {
      findings.push({
        severity: "error",
        file: reader.factFiles[0] ?? ".",
        line: 0,
        message: `publishes ${rival.name}, and so does module ${rival.module}: one of them needs another name`,
      });
    }
    const found = collectEdges({ options, folder, reader, resolver, published, edges });
    findings.push(...found.toSorted(compareFindings));
    // After the code: where it shows a use of the same kind, that line says more.
    for (const { owner, use, file, line } of resolver.declared) {
      const known = edges.get(owner);
      if (known === undefined || (known.kind === "test" && use === "build")) addEdge(edges, owner, use, file, line);
    }
  }
  const worst = findings.find((finding) => finding.severity === "error");
  return {
    module,
    commit: folder.commit,
    tree: folder.tree,
    thirdParties: folder.thirdParties,
    manifest: folder.manifest,
    publishes: own?.names ?? [],
    edges: [...edges.values()].toSorted((a, b) => compareText(a.dependency, b.dependency)),
    findings: sayOnce(findings).slice(0, findingsLimit),
    problem: folder.problem ?? (worst === undefined ? null : { stage: "import", message: describeFinding(worst) }),
  };
}

/** A lock file is read for the closure and for its names: what is wrong with it is one finding. */
function sayOnce(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [`${finding.severity} ${describeFinding(finding)}`, finding])).values()];
}

interface CollectEdges {
  readonly options: DeriveEdges;
  readonly folder: ModuleFolder;
  readonly reader: ImportReader;
  readonly resolver: Resolver;
  readonly published: Published;
  /** Added to. */
  readonly edges: Map<Name, SourceEdge>;
}

function collectEdges({ options, folder, reader, resolver, published, edges }: CollectEdges): Finding[] {
  const findings: Finding[] = [];
  for (const file of folder.files) {
    if (!reader.isSource(file.path)) continue;
    const imports = options.imports.get(importsKey(reader.readerKey(file.path), file.blob));
    if (imports === undefined) {
      findings.push({
        severity: "error",
        file: file.path,
        line: 0,
        message: "too large to be read, so its imports are not known",
      });
      continue;
    }
    for (const finding of imports.findings) findings.push({ ...finding, file: file.path });
    const kind = reader.isTest(file.path) ? "test" : "build";
    for (const found of imports.imports) {
      const use = found.test === true ? "test" : kind;
      const { owner, more = [], finding } = resolver.resolve(file.path, found, use);
      const place = { file: file.path, line: found.line };
      if (finding !== null) findings.push({ ...finding, ...place });
      for (const one of owner === null ? more : [owner, ...more]) {
        addEdge(edges, one, use, file.path, found.line);
        findings.push(...sayRivals(published, one, found.specifier).map((message) => ({ ...message, ...place })));
      }
    }
  }
  return findings;
}

/** Whoever imports a name that two publish cannot know whose it gets. */
function sayRivals(published: Published, owner: Name, specifier: string): Pick<Finding, "severity" | "message">[] {
  const isOf = ({ name }: Rival): boolean =>
    specifier === name || (specifier.startsWith(name) && /^[/.:]/.test(specifier.slice(name.length)));
  const rivals = (published.byModule.get(owner)?.rivals ?? []).filter(isOf);
  const [first] = rivals;
  if (first === undefined) return [];
  const others = rivals.filter(({ name }) => name === first.name).map(({ module }) => module);
  const message = `imports ${specifier}, which modules ${[owner, ...others].join(" and ")} publish: which is meant cannot be known`;
  return [{ severity: "error", message }];
}

function compareFindings(a: Finding, b: Finding): number {
  return compareText(a.file, b.file) || a.line - b.line || compareText(a.message, b.message);
}

/**
 * The first place by file and line makes the edge, in whatever order they come. A build edge covers a test edge: what
 * is compiled in is there for the tests too.
 */
function addEdge(
  edges: Map<Name, SourceEdge>,
  dependency: Name,
  kind: "build" | "test",
  file: string,
  line: number,
): void {
  const known = edges.get(dependency);
  const isBefore = (edge: SourceEdge): boolean =>
    kind === edge.kind ? (compareText(file, edge.file) || line - edge.line) < 0 : kind === "build";
  if (known === undefined || isBefore(known)) edges.set(dependency, { dependency, kind, file, line });
}

/** Which other module owns a path relative to this one's folder: the innermost folder around it. */
function findOwner(registered: readonly RegisteredModule[], self: RegisteredModule, path: string): Name | null {
  const absolute = posix.normalize(posix.join(self.path, path));
  let owner: RegisteredModule | null = null;
  for (const other of registered) {
    if (other.repository !== self.repository || other.branch !== self.branch) continue;
    const within =
      other.path === "."
        ? !absolute.startsWith("..")
        : absolute === other.path || absolute.startsWith(`${other.path}/`);
    if (within && (owner === null || other.path.length > owner.path.length || owner.path === ".")) owner = other;
  }
  return owner === null || owner.module === self.module ? null : owner.module;
}
