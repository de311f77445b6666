/**
 * The strongly connected components of a graph, dependencies first when edges point to dependencies: those of one
 * member are in no cycle. Edges to what is not a key are ignored. Tarjan's, without recursion: chains may be long.
 */
export function strongComponents(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const names = [...edges.keys()];
  const numbers = new Map(names.map((name, at) => [name, at]));
  /** When each was entered, from 1; 0: not yet. */
  const entered = new Int32Array(names.length);
  const low = new Int32Array(names.length);
  const isOpen = new Uint8Array(names.length);
  const next = new Int32Array(names.length);
  const open: number[] = [];
  const path: number[] = [];
  const components: string[][] = [];
  let count = 0;

  function enter(at: number): void {
    count += 1;
    entered[at] = count;
    low[at] = count;
    isOpen[at] = 1;
    open.push(at);
    path.push(at);
  }
  function lower(at: number, to: number): void {
    low[at] = Math.min(low[at] ?? to, to);
  }
  /** One edge of the innermost, or its end. */
  function step(at: number): void {
    const to = edges.get(names[at] ?? "")?.[next[at] ?? 0];
    next[at] = (next[at] ?? 0) + 1;
    if (to !== undefined) {
      const target = numbers.get(to);
      if (target === undefined) return;
      if (entered[target] === 0) enter(target);
      else if (isOpen[target] === 1) lower(at, entered[target] ?? 0);
      return;
    }
    path.pop();
    const parent = path.at(-1);
    const lowest = low[at] ?? 0;
    if (parent !== undefined) lower(parent, lowest);
    if (lowest === entered[at]) close(at);
  }
  function close(at: number): void {
    const component: string[] = [];
    for (let member = -1; member !== at;) {
      member = open.pop() ?? at;
      isOpen[member] = 0;
      component.push(names[member] ?? "");
    }
    components.push(component.toSorted());
  }

  for (let root = 0; root < names.length; root += 1) {
    if (entered[root] === 0) enter(root);
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) step(at);
  }
  return components;
}
