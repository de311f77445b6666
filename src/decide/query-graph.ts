import type { Name } from "../core/names.ts";
import type { BuildFacts } from "./build-facts.ts";
import { sayPlace } from "./say-edge.ts";
import { compareText } from "./short-names.ts";

/** `from` is built (or tested) against `to`. `was`: only its last fit build is; no import is seen that leads there now. */
export interface GraphEdge {
  readonly from: Name;
  readonly to: Name;
  readonly kind: "build" | "test" | "was";
  /** `src/page.ts:3`; null: no import is seen that leads there. */
  readonly at: string | null;
  /** Not seen in the newest source of `from`, of which not all can be read. */
  readonly lastKnown?: true;
}

/** Every edge, as it is and as it was, sorted; the first place of each. Of one kind where that is given. */
export function listGraphEdges({ modules }: Pick<BuildFacts, "modules">, kind?: "build" | "test"): GraphEdge[] {
  const edges: GraphEdge[] = [];
  for (const { module, edges: own, lastFit } of modules.values()) {
    const now = own.filter((edge) => edge.dependency !== module);
    for (const { dependency: to, kind: ofKind, lastKnown, ...place } of now)
      edges.push({ from: module, to, kind: ofKind, at: sayPlace(place), ...(lastKnown ? { lastKnown } : {}) });
    for (const to of Object.keys(lastFit?.closure.dependencies ?? {}))
      if (!now.some((edge) => edge.dependency === to)) edges.push({ from: module, to, kind: "was", at: null });
  }
  return edges
    .filter((edge) => kind === undefined || edge.kind === kind)
    .toSorted((a, b) => compareText(a.from, b.from) || compareText(a.to, b.to) || compareText(a.kind, b.kind));
}

/** The edges on the way from a module to all it depends on, or to all that depend on it. */
export function reachEdges(
  edges: readonly GraphEdge[],
  start: Name,
  direction: "dependencies" | "dependents",
): GraphEdge[] {
  const [near, far] = direction === "dependencies" ? (["from", "to"] as const) : (["to", "from"] as const);
  const byNear = groupEdges(edges, near);
  const reached = new Set([start]);
  for (const module of reached) for (const edge of byNear.get(module) ?? []) reached.add(edge[far]);
  return edges.filter((edge) => reached.has(edge[near]));
}

/** The shortest way by which `from` depends on `to`, among equals the first by name; null: it does not. */
export function findPath(edges: readonly GraphEdge[], from: Name, to: Name): GraphEdge[] | null {
  const byFrom = groupEdges(edges, "from");
  const cameBy = new Map<Name, GraphEdge>();
  const reached = new Set([from]);
  for (const module of reached) {
    for (const edge of byFrom.get(module) ?? []) {
      if (edge.to === to) return walkBack(cameBy, edge, from);
      if (reached.has(edge.to)) continue;
      cameBy.set(edge.to, edge);
      reached.add(edge.to);
    }
  }
  return null;
}

function walkBack(cameBy: ReadonlyMap<Name, GraphEdge>, last: GraphEdge, from: Name): GraphEdge[] {
  const path = [last];
  for (let edge = last; edge.from !== from;) {
    const before = cameBy.get(edge.from);
    if (before === undefined) throw new Error("every module that was reached was reached by an edge");
    path.unshift(before);
    edge = before;
  }
  return path;
}

function groupEdges(edges: readonly GraphEdge[], end: "from" | "to"): Map<Name, GraphEdge[]> {
  const groups = new Map<Name, GraphEdge[]>();
  for (const edge of edges) {
    const group = groups.get(edge[end]);
    if (group === undefined) groups.set(edge[end], [edge]);
    else group.push(edge);
  }
  return groups;
}
