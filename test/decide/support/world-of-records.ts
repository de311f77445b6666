import type { Name } from "../../../src/core/names.ts";
import type { Assignment } from "../../../src/core/node.ts";
import type { Provision } from "../../../src/core/provision.ts";
import { artifactKey, type Sent, type World } from "../../../src/decide/world.ts";
import type { AnyRecords } from "./any-records.ts";

/** As the store would load it: every object is made anew. */
export function worldOfRecords(any: AnyRecords): World {
  const records = structuredClone(any);
  const registered = new Set(records.nodes.map(({ name }) => name));
  const assignments = new Map<Name, Assignment[]>();
  for (const one of records.assignments) {
    const list = assignments.get(one.node) ?? [];
    list.push({ ...one, config: {}, providers: { ...one.providers } });
    assignments.set(one.node, list);
  }
  const sent = new Map<Name, Sent>();
  for (const { node, number, ...last } of records.sends.toSorted((a, b) => a.number - b.number))
    if (registered.has(node)) sent.set(node, { ...last, order: { epoch: 1, number } });
  const provisions = new Map<string, Provision>();
  const versions = new Map<string, number>();
  for (const one of records.provisions.toSorted((a, b) => a.version - b.version)) {
    versions.set(one.id, one.version);
    if (one.state !== "withdrawn" && provisions.get(one.id)?.state !== "issued") provisions.set(one.id, one);
  }
  return {
    mesh: "home",
    nodes: new Map(records.nodes.map((node) => [node.name, node])),
    modules: new Map(records.modules.map((module) => [module.name, module])),
    artifacts: new Map(records.artifacts.map((one) => [artifactKey(one.artifact.module, one.artifact.digest), one])),
    assignments,
    provisions,
    versions,
    sent,
    reverted: new Map(
      records.reverted.flatMap(({ node, incarnation, number }) =>
        number > 0 && records.nodes.some((one) => one.name === node && one.incarnation === incarnation)
          ? [[node, { epoch: 1, number }] as const]
          : [],
      ),
    ),
    claims: new Map(records.claims.map(({ node, number }) => [node, { epoch: 1, number }])),
  };
}
