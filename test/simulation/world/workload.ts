import type { PushRequest } from "../../../src/activities/open-push.ts";
import type { Random } from "../random.ts";
import type { StoreTwin } from "../store/twin.ts";
import { addBuild, assign, enrolNode, meshName, moduleNames, unassign } from "./mesh.ts";

/** What people and builds do to the mesh, one thing at a time; a push follows some of them. */
export interface Workload {
  /** Answers what was done, in words. */
  act(): string;
  /** Takes back what was assigned last, as if it had been a slip. */
  takeBack(): string;
  /** Takes everything that needs no other off a node at once, as by a wrong name. */
  clear(random: Random): string;
  nextPush(): PushRequest;
  /** The last push of all: whatever was left, everybody is told. */
  finalPush(): PushRequest;
  /** Of those who are said to have gone back. */
  pushAgain(nodes: readonly string[]): PushRequest;
}

export interface WorkloadParts {
  readonly store: StoreTwin;
  readonly random: Random;
  readonly nodes: readonly string[];
  /** Answers the incarnation of the host that is there now. */
  readonly onEnrol: (node: string) => string;
}

export function createWorkload({ store, random, nodes, onEnrol }: WorkloadParts): Workload {
  let pushes = 0;
  let assigned: { readonly module: string; readonly node: string } | null = null;
  const builds = new Map<string, number>();
  const consumers = ["page", "both", "clock"] as const;
  const request = (kind: PushRequest["kind"], named: readonly string[], why: string): PushRequest => {
    pushes += 1;
    return {
      mesh: meshName,
      push: `push-${pushes}`,
      kind,
      named,
      requestedBy: "simulation",
      why,
      confirmRemoval: true,
    };
  };
  return {
    act() {
      const what = random.next();
      const node = random.pick(nodes);
      const module = random.pick(consumers);
      if (what < 0.4) {
        const zone = random.pick(["UTC", "CET"]);
        store.edit((draft) => assign(draft, module, node, module === "clock" ? { zone } : {}));
        assigned = { module, node };
        return `${module} assigned to ${node}`;
      }
      if (what < 0.6) {
        store.edit((draft) => unassign(draft, module, node));
        return `${module} unassigned from ${node}`;
      }
      if (what < 0.85) {
        const built = random.pick(moduleNames);
        const build = (builds.get(built) ?? 1) + 1;
        builds.set(built, build);
        store.edit((draft) => addBuild(draft, built, build));
        return `build ${build} of ${built} is fit`;
      }
      if (what < 0.93) {
        const address = `10.0.${random.between(1, 3)}.${random.between(1, 9)}`;
        store.edit((draft) => {
          const known = draft.nodes.get(node);
          if (known?.incarnation) enrolNode(draft, node, address, known.incarnation, known.enrolledAt ?? undefined);
        });
        return `${node} moved to ${address}`;
      }
      const incarnation = onEnrol(node);
      const at = store.nowIso();
      store.edit((draft) => enrolNode(draft, node, draft.nodes.get(node)?.address ?? "10.0.0.1", incarnation, at));
      return `${node} enrolled anew as ${incarnation}`;
    },
    takeBack() {
      if (assigned === null) return "nothing to take back";
      const { module, node } = assigned;
      assigned = null;
      store.edit((draft) => unassign(draft, module, node));
      return `${module} on ${node} was a slip`;
    },
    clear(chance) {
      const node = chance.pick(nodes);
      store.edit((draft) => {
        for (const module of consumers) unassign(draft, module, node);
      });
      return `everything is taken off ${node}`;
    },
    nextPush() {
      const kind = random.pick(["named", "named", "named", "behind", "all"] as const);
      const count = random.between(1, 2);
      const named = Array.from({ length: count }, () => random.pick(nodes));
      return request(kind, kind === "named" ? [...new Set(named)] : [], `a push of kind ${kind}`);
    },
    finalPush: () => request("all", [], "the last push"),
    pushAgain: (named) => request("named", named, "they went back"),
  };
}
