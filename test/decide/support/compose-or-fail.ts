import type { Name } from "../../../src/core/names.ts";
import type { Resource, ResourceKind, ResourceOf } from "../../../src/core/resource.ts";
import { compose } from "../../../src/decide/compose.ts";
import type { Composition, Pins } from "../../../src/decide/composition.ts";
import type { World } from "../../../src/decide/world.ts";

type Composed = Extract<Composition, { kind: "composed" }>;

export function composeOrFail(world: World, node: Name, pins: Pins = { at: "newest" }): Composed {
  const composition = compose(world, node, pins);
  if (composition.kind !== "composed") throw new Error(`${node}: ${JSON.stringify(composition)}`);
  return composition;
}

/** `code module`, one for each problem. */
export function listProblems(world: World, node: Name): string[] {
  const composition = compose(world, node, { at: "newest" });
  if (composition.kind !== "not-worked-out") throw new Error(`${node} is ${composition.kind}`);
  return composition.problems.map(({ code, module }) => `${code} ${module ?? "-"}`);
}

export function oneResource<K extends ResourceKind>(composed: Composed, kind: K, id: string): ResourceOf<K> {
  const isIt = (resource: Resource): resource is ResourceOf<K> => resource.id === id && resource.kind === kind;
  const found = composed.content.resources.find(isIt);
  if (found === undefined)
    throw new Error(`no ${id} among ${composed.content.resources.map(({ id: other }) => other).join(", ")}`);
  return found;
}
