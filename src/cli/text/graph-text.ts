import type { Name } from "../../core/names.ts";
import type { GraphEdge } from "../../decide/query-graph.ts";
import { alignColumns } from "./columns.ts";
import { sayLastKnown } from "./last-known.ts";
import { plainLine } from "./plain.ts";

export interface GraphDocument {
  /** The module that was asked about; null: all. */
  readonly module: Name | null;
  readonly edges: readonly GraphEdge[];
  /** Only edges of this kind were asked for. */
  readonly kind?: GraphEdge["kind"];
  /** `--order`: every module, dependencies first. */
  readonly order?: readonly Name[];
  /** Cycles of build edges, the shortest first, with the import of each step. */
  readonly cycles: readonly string[];
  /** `--why`: null where there is no way. */
  readonly path?: readonly GraphEdge[] | null;
}

export function graphText(document: GraphDocument): string {
  const { edges, cycles } = document;
  const rows = edges.map((edge) => [edge.from, edge.to, sayKind(edge), sayPlaceOf(edge)]);
  const table =
    rows.length === 0 ? [sayNone(document)] : [alignColumns([["MODULE", "IMPORTS", "KIND", "AT"], ...rows])];
  return [...(document.order === undefined ? table : [document.order.join("\n")]), ...sayCycles(cycles)].join("\n");
}

function sayNone({ module, kind }: GraphDocument): string {
  if (module !== null) return `${module} has no such edges`;
  return kind === undefined ? "no module imports another" : `no module has a ${kind} edge`;
}

function sayCycles(cycles: readonly string[]): string[] {
  return cycles.map((cycle) => `these cannot be built, their imports go round: ${plainLine(cycle, 1000)}`);
}

/** The way from one module to another, one import a line. */
export function pathText(from: Name, to: Name, path: readonly GraphEdge[] | null): string {
  if (path === null) return `${from} does not depend on ${to}\n  next: mesh graph ${from} --dependencies`;
  return path
    .map((edge) => {
      const tests = edge.kind === "test" ? " (tests only)" : "";
      return edge.at === null
        ? `${edge.from} was built against ${edge.to}, and no import that leads there is seen now`
        : `${edge.from} imports ${edge.to} at ${plainLine(edge.at, 300)}${tests}${sayLastKnown(edge)}`;
    })
    .join("\n");
}

/** For Graphviz. Names and places are from outside: each is one quoted string, whatever is in it. */
export function graphDot(edges: readonly GraphEdge[], modules: readonly Name[]): string {
  const styles = { build: "solid", test: "dashed", was: "dotted" } as const;
  return [
    "digraph mesh {",
    ...modules.map((module) => `  ${quote(module)};`),
    ...edges.map((edge) => {
      const label = `label=${quote(sayPlaceOf(edge))}, style=${styles[edge.kind]}`;
      return `  ${quote(edge.from)} -> ${quote(edge.to)} [${label}];`;
    }),
    "}",
  ].join("\n");
}

function quote(text: string): string {
  return `"${plainLine(text, 300).replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

function sayKind({ kind }: GraphEdge): string {
  return kind === "was" ? "was built against" : kind;
}

function sayPlaceOf(edge: GraphEdge): string {
  return edge.at === null ? "no import is seen now" : `${plainLine(edge.at, 200)}${sayLastKnown(edge)}`;
}
