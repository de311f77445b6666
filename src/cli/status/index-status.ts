import type { Name } from "../../core/names.ts";
import type { StatusRecords } from "./load-status.ts";

/** Records by what is asked of them: each is read once, however many modules and nodes there are. */
export interface StatusIndex {
  /** Nodes that a module is assigned to or was last sent to, in the order given. */
  nodesOf(module: Name): readonly Name[];
  fitBuildOf(module: {
    readonly name: Name;
    readonly fitInputs: string | null;
  }): StatusRecords["fitBuilds"][number] | undefined;
  labelsOf(module: Name): StatusRecords["labels"][number] | undefined;
  headOf(source: { readonly repository: Name; readonly branch: string }): StatusRecords["heads"][number] | null;
}

export function indexStatus(
  {
    view,
    fitBuilds,
    labels,
    heads,
  }: Pick<StatusRecords, "fitBuilds" | "labels" | "heads"> & {
    readonly view: Pick<StatusRecords["view"], "sent"> & {
      readonly world: Pick<StatusRecords["view"]["world"], "assignments">;
    };
  },
  nodes: readonly Name[],
): StatusIndex {
  const nodesOf = new Map<Name, Name[]>();
  for (const node of nodes) {
    const assigned = (view.world.assignments.get(node) ?? []).map(({ module }) => module);
    for (const module of new Set([...assigned, ...Object.keys(view.sent.get(node)?.builds ?? {})])) {
      const own = nodesOf.get(module);
      if (own === undefined) nodesOf.set(module, [node]);
      else own.push(node);
    }
  }
  // No name has a space in it.
  const builds = new Map(fitBuilds.map((build) => [`${build.module} ${build.inputs}`, build]));
  const labelled = new Map(labels.map((one) => [one.module, one]));
  const branches = new Map(heads.map((head) => [`${head.repository} ${head.branch}`, head]));
  return {
    nodesOf: (module) => nodesOf.get(module) ?? [],
    fitBuildOf: ({ name, fitInputs }) => (fitInputs === null ? undefined : builds.get(`${name} ${fitInputs}`)),
    labelsOf: (module) => labelled.get(module),
    headOf: ({ repository, branch }) => branches.get(`${repository} ${branch}`) ?? null,
  };
}
