import type { Resource, ResourceOf } from "../../../src/core/resource.ts";
import { applyResource } from "../../../src/host/cycle/apply-resource.ts";
import type { PassEffects } from "../../../src/host/cycle/pass-effects.ts";
import { textOfResource } from "../../../src/host/cycle/resource-text.ts";
import type { ResourceHandler } from "../../../src/host/resources/resource-handler.ts";

/** What is really on a machine, apart from what its host believes. Survives the host and the reboot. */
export interface Machine {
  /** By resource id: what was applied there last. */
  readonly present: Map<string, string>;
  /** By grant id: `provision#version` that really exist. */
  readonly granted: Map<string, readonly string[]>;
  /** Ids of what is there and no disk knows of: that which knew was lost. Nobody can take it away. */
  readonly strays: Set<string>;
}

export function createMachine(): Machine {
  return { present: new Map(), granted: new Map(), strays: new Set() };
}

export interface MachineFaults {
  /** This change fails, and why. */
  apply(resource: Resource): Error | null;
  /** How long a change takes. */
  applyMs(): number;
  /** This removal fails, and why. */
  remove(resource: Resource): Error | null;
  /** How long a removal takes; 0: it is done at once. */
  removeMs(): number;
  /** What is being changed is neither as it was nor as wanted until the change has ended: a failure or a kill leaves it so. */
  leavesHalf(): boolean;
}

export type Touched = (what: "apply" | "remove", resource: Resource) => void;

type Seen = { readonly text: string | undefined; readonly granted: readonly string[] };

/** Resources of a model machine behind the host's own look, compare, change, look again. */
export function createMachineEffects(
  machine: Machine,
  faults: MachineFaults,
  pass: (ms: number) => Promise<void>,
  onTouch: Touched,
): PassEffects {
  const handler = createHandler(machine, faults, pass, onTouch);
  return {
    apply: (resource, options) => applyResource(handler, resource, options),
    remove: (resource) => handler.remove(resource),
    collect: () => Promise.resolve([]),
  };
}

function createHandler(
  machine: Machine,
  faults: MachineFaults,
  pass: (ms: number) => Promise<void>,
  onTouch: Touched,
): ResourceHandler<Resource, Resource, Seen> {
  return {
    want: (resource) => Promise.resolve(resource),
    read: (resource) =>
      Promise.resolve({ text: machine.present.get(resource.id), granted: machine.granted.get(resource.id) ?? [] }),
    diff(resource, seen) {
      const wanted = textOf(resource);
      if (seen.text === wanted && (resource.kind !== "grant" || isGranted(resource, seen))) return null;
      return { wanted: wanted.slice(0, 100), found: (seen.text ?? "nothing").slice(0, 100) };
    },
    async apply(resource) {
      if (faults.leavesHalf()) {
        onTouch("apply", resource);
        makeHalf(machine, resource);
      }
      await pass(faults.applyMs());
      onTouch("apply", resource);
      const failure = faults.apply(resource);
      if (failure !== null) throw failure;
      machine.present.set(resource.id, textOf(resource));
      if (resource.kind === "grant") machine.granted.set(resource.id, listGrants(resource));
    },
    conclude(resource, seen) {
      const isThere = seen.text === textOf(resource) && (resource.kind !== "grant" || isGranted(resource, seen));
      const state = isThere ? ("applied" as const) : ("failed" as const);
      if (resource.kind !== "grant") return { state, message: isThere ? "as wanted" : "differs" };
      const provisions = seen.granted.map((one) => {
        const at = one.lastIndexOf("#");
        return { provision: one.slice(0, at), version: Number(one.slice(at + 1)) };
      });
      return { state, message: isThere ? "as wanted" : "differs", provisions };
    },
    async remove(resource) {
      const takesMs = faults.removeMs();
      if (takesMs > 0) {
        if (faults.leavesHalf() && machine.present.has(resource.id)) machine.present.set(resource.id, halfDone);
        await pass(takesMs);
      }
      onTouch("remove", resource);
      const failure = faults.remove(resource);
      if (failure !== null) throw failure;
      take(machine, resource);
      return { kind: "removed" };
    },
  };
}

const halfDone = "half of it";

/** Nobody is revoked yet, and some are granted. */
function makeHalf({ present, granted }: Machine, resource: Resource): void {
  present.set(resource.id, halfDone);
  if (resource.kind !== "grant") return;
  const wanted = listGrants(resource);
  const before = granted.get(resource.id) ?? [];
  granted.set(resource.id, [...new Set([...before, ...wanted.slice(0, wanted.length / 2)])]);
}

/** With a server goes what it grants: nobody can get in any more. */
function take({ present, granted }: Machine, { id, kind, module }: Resource): void {
  const gone = [id];
  if (kind === "service") gone.push(...[...granted.keys()].filter((grant) => grant.startsWith(`grant/${module}/`)));
  for (const one of gone) {
    present.delete(one);
    granted.delete(one);
  }
}

/** What `present` holds when it is as wanted. */
export const textOf = textOfResource;

const grants = new WeakMap<Resource, readonly string[]>();

/** `provision#version` of each consumer. */
export function listGrants(resource: ResourceOf<"grant">): readonly string[] {
  const known =
    grants.get(resource) ?? resource.grants.map(({ provision, version }) => `${provision}#${version}`).toSorted();
  grants.set(resource, known);
  return known;
}

function isGranted(resource: ResourceOf<"grant">, seen: Seen): boolean {
  return listGrants(resource).join() === seen.granted.join();
}
