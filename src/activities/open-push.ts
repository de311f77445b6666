import { InputError } from "../core/errors.ts";
import type { Name } from "../core/names.ts";
import { captureBaseline } from "../decide/find-changed.ts";
import { isBehind, whyBehind } from "../decide/situation.ts";
import type { World } from "../decide/world.ts";
import type { PushTarget } from "../store/push-targets.ts";
import type { PushRecord } from "../store/pushes.ts";
import type { MeshView } from "../store/situations.ts";
import { compositionsOf } from "./compositions-of.ts";
import type { PushDependencies } from "./control-dependencies.ts";
import type { OpenedPush } from "./control-types.ts";

export interface PushRequest {
  readonly mesh: string;
  readonly push: string;
  readonly kind: PushRecord["kind"];
  readonly named: readonly string[];
  readonly requestedBy: string;
  readonly why: string;
  readonly confirmRemoval?: boolean;
}

/**
 * Keeps the push, the digests of what every node should be now (R18), and whom round 0 tells. Each is kept once: a
 * retry that sees a later world changes none of them.
 */
export async function openNewPush(deps: PushDependencies, request: PushRequest): Promise<OpenedPush> {
  const { world, targets } = await look(deps, request);
  const named = targets.map((target) => target.node);
  await deps.records.openPush({
    id: request.push,
    kind: request.kind,
    named,
    requestedBy: request.requestedBy,
    why: request.why,
    confirmRemoval: request.confirmRemoval,
  });
  await deps.records.recordBaseline(request.push, captureBaseline(world, compositionsOf(deps.records).lookAt(world)));
  const round = { push: request.push, round: 0 };
  if ((await deps.records.countTargets(round)) === 0)
    await deps.records.recordTargets(round, await nameAsKept(deps, request, targets));
  const kept = await deps.records.countTargets(round);
  const first = await deps.records.listTargets({ ...round, from: 0, count: 5 });
  return {
    targets: kept,
    summary: describe(
      kept,
      first.map((target) => target.node),
      request.why,
    ),
  };
}

/** An attempt before this one may have named others, by an earlier look: those it named are this push's. */
async function nameAsKept(
  deps: PushDependencies,
  { push, why }: PushRequest,
  targets: readonly PushTarget[],
): Promise<PushTarget[]> {
  const kept = await deps.records.getPush(push);
  if (kept === null) throw new Error(`push ${push} was opened, and is not recorded`);
  const byName = new Map(targets.map((target) => [target.node, target]));
  return kept.named.map((node) => byName.get(node) ?? { node, why: why === "" ? "named" : why });
}

interface Look {
  readonly world: World;
  readonly targets: readonly PushTarget[];
}

/** How every node stands is worked out only where that chooses among them. */
async function look(deps: PushDependencies, request: PushRequest): Promise<Look> {
  if (request.kind !== "behind") {
    const world = await deps.records.readWorld();
    return { world, targets: chooseTargets({ ...request, kind: request.kind }, world) };
  }
  const view = await deps.records.readView({ now: new Date(deps.nowMs()).toISOString(), limits: deps.limits });
  return { world: view.world, targets: listBehind(view) };
}

function chooseTargets(
  request: PushRequest & { readonly kind: Exclude<PushRequest["kind"], "behind"> },
  world: World,
): PushTarget[] {
  switch (request.kind) {
    case "named":
    case "auto":
    case "declare":
      return [...new Set(request.named)].toSorted().map((node) => {
        if (!world.nodes.has(node))
          throw new InputError(`there is no node ${node}`, "mesh node list shows those there are");
        return { node, why: request.why === "" ? "named" : request.why };
      });
    case "all":
      return [...world.nodes.keys()].toSorted().map((node) => ({ node, why: "the whole mesh" }));
  }
}

function listBehind(view: MeshView): PushTarget[] {
  return [...view.nodes.keys()]
    .toSorted()
    .filter((node) => isBehindIn(view, node))
    .map((node) => ({ node, why: whyBehindIn(view, node) }));
}

function isBehindIn(view: MeshView, node: Name): boolean {
  const situation = view.situations.get(node);
  return situation !== undefined && isBehind(situation);
}

function whyBehindIn(view: MeshView, node: Name): string {
  const situation = view.situations.get(node);
  return (situation === undefined ? null : whyBehind(situation)) ?? "behind";
}

function describe(count: number, names: readonly string[], why: string): string {
  if (count === 0) return "nobody to tell";
  const more = count > names.length ? ` and ${count - names.length} more` : "";
  return `${names.join(", ")}${more}${why === "" ? "" : `: ${why}`}`;
}
