import { beforeAll, describe, expect, it } from "vitest";
import type { Declaration } from "../../../src/core/declaration.ts";
import type { Resource } from "../../../src/core/resource.ts";
import type { Draft, Records } from "../store/state.ts";
import { assign, unassign } from "../world/mesh.ts";
import { findMistold } from "./check-content.ts";
import { acceptedOf } from "./play-hosts.ts";
import { type Played, playPushes } from "./play-pushes.ts";

let played: Played;
beforeAll(async () => {
  played = await playPushes();
});

function edit(change: (draft: Draft) => void): Records {
  const draft: Draft = { ...played.records };
  change(draft);
  return draft;
}

const newestOf = (node: string): Declaration => acceptedOf(played, node, -1).declaration;

function retell(node: string, change: (one: Resource) => readonly Resource[]): Pick<Declaration, "content"> {
  const { content } = newestOf(node);
  return { content: { ...content, resources: content.resources.flatMap(change) } };
}

/** The node that has a consumer in these pushes. */
function findConsumer(): { node: string; module: string } {
  const [one] = played.records.provisions;
  if (one === undefined) throw new Error("nobody requires anything");
  return one.provision.consumer;
}

describe("what a node is told, by what people said", () => {
  it("is right where it is what was assigned", () => {
    for (const node of played.records.nodes.keys())
      expect(findMistold(played.records, node, newestOf(node)), node).toBeNull();
  });

  it("is wrong with a module that nobody assigned, or without one that somebody did", () => {
    const { node, module } = findConsumer();
    const without = edit((draft) => unassign(draft, module, node));
    expect(findMistold(without, node, newestOf(node))).toMatch(/is of a module that nobody assigned/);
    const left = retell(node, (one) => (one.module === module ? [] : [one]));
    expect(findMistold(played.records, node, left)).toMatch(/is told as nothing/);
  });

  it("is wrong with a build that is not the newest", () => {
    const { node } = findConsumer();
    const other = retell(node, (one) => (one.kind === "artifact" ? [{ ...one, digest: one.blob }] : [one]));
    expect(findMistold(played.records, node, other)).toMatch(/is its newest fit build$/);
  });

  it("is wrong without a credential, with one that is withdrawn, and with another provider's than was chosen", () => {
    const { node, module } = findConsumer();
    const none = retell(node, (one) => (one.kind === "file" && one.content.from === "provisions" ? [] : [one]));
    expect(findMistold(played.records, node, none)).toMatch(/has nothing, and requires/);
    const owed = edit((draft) => {
      draft.provisions = draft.provisions.map((one) => ({
        ...one,
        provision: { ...one.provision, state: "owed" as const },
      }));
    });
    expect(findMistold(owed, node, newestOf(node))).toMatch(/ is owed$/);
    const [requirement = ""] = played.records.provisions.map(({ provision }) => provision.consumer.requirement);
    const chosen = edit((draft) => assign(draft, module, node, {}, { [requirement]: "other@elsewhere" }));
    expect(findMistold(chosen, node, newestOf(node))).toMatch(/and other@elsewhere was chosen$/);
    const gone = edit((draft) => {
      draft.assignments = new Map([...draft.assignments].map(([on, list]) => [on, on === node ? list : []]));
      draft.declarations = new Map([...draft.declarations].filter(([on]) => on === node));
    });
    expect(findMistold(gone, node, newestOf(node))).toMatch(/is not there, or provides no /);
  });
});
