import type { Name } from "../core/names.ts";
import { cutFindings } from "../decide/cut-findings.ts";
import { compareText } from "../decide/short-names.ts";
import { describeFinding, type Finding } from "./finding.ts";
import type { FactFiles, ImportKind, ImportReader, PublishedNames, Resolver } from "./imports/import-reader.ts";
import type { ImportsOfBlobs } from "./imports/read-module-imports.ts";
import type { Placements } from "./placements.ts";
import type { Published, Rival } from "./publish-names.ts";
import type { ModuleFolder } from "./read-module-folders.ts";
import type { SourceEdge, SourceFacts } from "./source-facts.ts";

export interface DeriveModule {
  readonly folder: ModuleFolder;
  /** Undefined: its manifest cannot be read, or nobody reads its language. */
  readonly reader: ImportReader | undefined;
  /** What the reader says of the module's own names. */
  readonly own: PublishedNames | undefined;
  readonly published: Published;
  readonly placements: Placements;
  readonly imports: ImportsOfBlobs;
  /** Why not all its imports are known, where that is so: none of them counts. */
  readonly past?: Finding | undefined;
  readonly factsOf: (module: Name) => FactFiles;
}

/** From what files import to which modules one is built against (R4). A function of its input. */
export function deriveModule(options: DeriveModule): Omit<SourceFacts, "known"> {
  const { folder, reader, own, published } = options;
  const { module } = folder.module;
  const findings: Finding[] = [...folder.findings, ...(own?.findings ?? [])];
  const edges = new Map<Name, SourceEdge>();
  const rivals = new Set(sayOwnRivals(options));
  if (reader !== undefined) {
    const resolver = reader.createResolver({
      module,
      facts: folder.facts,
      files: folder.files.map((file) => file.path),
      published: published.owners(reader.language),
      ownerOfPath: (path) => options.placements.ownerOf(folder.module, path),
      factsOf: options.factsOf,
    });
    for (const finding of resolver.findings) findings.push(finding);
    for (const rival of rivals) findings.push(rival);
    const found = options.past === undefined ? collectEdges({ ...options, reader, resolver, edges }) : [options.past];
    // One by one: a call takes no more arguments than its stack has room for, and a module may have more findings.
    for (const finding of found.toSorted(compareFindings)) findings.push(finding);
    // After the code: where it shows a use of the same kind, that line says more.
    for (const { owner, use, file, line } of resolver.declared) {
      const known = edges.get(owner);
      if (known === undefined || (known.kind === "test" && use === "build"))
        addEdge(edges, { dependency: owner, kind: use, file, line });
    }
  }
  const worst = findings.find((finding) => finding.severity === "error");
  // Who else publishes its name keeps no import of its own from being read.
  const isRead = !findings.some((finding) => finding.severity === "error" && !rivals.has(finding));
  const isKnown = folder.problem === null ? isRead : folder.problem.isGone === true;
  return {
    module,
    commit: folder.commit,
    tree: folder.tree,
    thirdParties: folder.thirdParties,
    manifest: folder.manifest,
    publishes: own?.names ?? [],
    edges: [...edges.values()].toSorted((a, b) => compareText(a.dependency, b.dependency)),
    areEdgesKnown: isKnown,
    findings: cutFindings(sayOnce(findings)),
    problem: folder.problem ?? (worst === undefined ? null : { stage: "import", message: describeFinding(worst) }),
  };
}

/** A lock file is read for the closure and for its names: what is wrong with it is one finding. */
function sayOnce(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [`${finding.severity} ${describeFinding(finding)}`, finding])).values()];
}

interface CollectEdges extends DeriveModule {
  readonly reader: ImportReader;
  readonly resolver: Resolver;
  /** Added to. */
  readonly edges: Map<Name, SourceEdge>;
}

function collectEdges({ folder, imports: read, reader, resolver, published, edges }: CollectEdges): Finding[] {
  const findings: Finding[] = [];
  for (const file of folder.files) {
    if (!reader.isSource(file.path)) continue;
    const imports = read.get(reader.readerKey(file.path))?.get(file.blob);
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
        addEdge(edges, { dependency: one, kind: use, ...place, ...sayTypes(use, found.kind) });
        for (const rivals of sayRivals(published, one, found.specifier)) findings.push({ ...rivals, ...place });
      }
    }
  }
  return findings;
}

function sayOwnRivals({ folder, reader, published }: DeriveModule): Finding[] {
  if (reader === undefined) return [];
  return published.rivals(folder.module.module).map((rival) => ({
    severity: "error",
    file: reader.factFiles[0] ?? ".",
    line: 0,
    message: `publishes ${rival.name}, and so does module ${rival.module}: one of them needs another name`,
  }));
}

/** Whoever imports a name that two publish cannot know whose it gets. */
function sayRivals(published: Published, owner: Name, specifier: string): Pick<Finding, "severity" | "message">[] {
  const isOf = ({ name }: Rival): boolean =>
    specifier === name || (specifier.startsWith(name) && /^[/.:]/.test(specifier.slice(name.length)));
  const rivals = published.rivals(owner).filter(isOf);
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
function addEdge(edges: Map<Name, SourceEdge>, edge: SourceEdge): void {
  const known = edges.get(edge.dependency);
  if (known === undefined || (known.kind !== edge.kind && edge.kind === "build")) {
    edges.set(edge.dependency, edge);
    return;
  }
  if (known.kind !== edge.kind) return;
  const { typesOnly, ...first } = (compareText(edge.file, known.file) || edge.line - known.line) < 0 ? edge : known;
  const both = known.typesOnly === true && edge.typesOnly === true;
  edges.set(edge.dependency, both ? { ...first, typesOnly } : first);
}

function sayTypes(use: "build" | "test", kind: ImportKind): Pick<SourceEdge, "typesOnly"> {
  return use === "build" && kind === "type" ? { typesOnly: true } : {};
}
