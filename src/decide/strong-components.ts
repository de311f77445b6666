/**
 * The strongly connected components of a graph, dependencies first when edges point to dependencies: those of one
 * member are in no cycle. Edges to what is not a key are ignored. Tarjan's, without recursion: chains may be long.
 */
export function strongComponents(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const components: string[][] = [];
  for (const root of edges.keys()) {
    if (index.has(root)) continue;
    const path: { readonly at: string; next: number }[] = [];
    enter(root);
    while (path.length > 0) step();

    function enter(at: string): void {
      index.set(at, index.size);
      low.set(at, index.size - 1);
      open.push(at);
      isOpen.add(at);
      path.push({ at, next: 0 });
    }
    function lower(at: string, to: number): void {
      low.set(at, Math.min(low.get(at) ?? to, to));
    }
    function step(): void {
      const frame = path.at(-1);
      if (frame === undefined) return;
      const to = edges.get(frame.at)?.[frame.next];
      frame.next += 1;
      if (to !== undefined) {
        const seen = index.get(to);
        if (seen === undefined && edges.has(to)) enter(to);
        else if (seen !== undefined && isOpen.has(to)) lower(frame.at, seen);
        return;
      }
      path.pop();
      const parent = path.at(-1);
      const lowest = low.get(frame.at) ?? 0;
      if (parent !== undefined) lower(parent.at, lowest);
      if (lowest === index.get(frame.at)) close(frame.at);
    }
  }
  return components;

  function close(at: string): void {
    const component = open.splice(open.lastIndexOf(at));
    for (const member of component) isOpen.delete(member);
    components.push(component.toSorted());
  }
}
