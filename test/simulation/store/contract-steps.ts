import fc from "fast-check";
import { pruneAct } from "./contract-prune.ts";

const node = fc.constantFrom("node-a", "node-b", "node-c");
/** Or one that is not there. */
const someNode = fc.oneof({ weight: 4, arbitrary: node }, fc.constant("node-z"));
const push = fc.constantFrom("push-1", "push-2");
const holder = fc.constantFrom("A", "B");
const kind = fc.constantFrom("named" as const, "behind" as const, "all" as const, "auto" as const);
const build = fc.constantFrom("fit" as const, "old" as const, null);
const small = fc.integer({ min: 0, max: 2 });

/** What is done inside of the gate; `outside` is done by others meanwhile. */
const insideAct = fc.oneof(
  fc.record({ act: fc.constant("world" as const), nodes: fc.uniqueArray(someNode) }),
  fc.record({ act: fc.constant("nodes" as const), nodes: fc.uniqueArray(someNode) }),
  fc.record({ act: fc.constant("mint" as const), push, consumer: node, version: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ act: fc.constant("withdraw" as const), push, consumer: node }),
  fc.record({ act: fc.constant("seal" as const), consumer: node, text: fc.constantFrom("box 1", "box 2") }),
  fc.record({ act: fc.constant("send" as const), push, node, at: small, grants: fc.boolean(), build }),
  fc.record({ act: fc.constant("told" as const), push, node, round: small, at: small }),
);

const outsideAct = fc.oneof(
  fc.record({ act: fc.constant("open" as const), push, kind }),
  fc.record({ act: fc.constant("end" as const), push }),
  fc.record({ act: fc.constant("baseline" as const), push, digest: small }),
  fc.record({ act: fc.constant("targets" as const), push, round: small, nodes: fc.uniqueArray(node) }),
  fc.record({
    act: fc.constant("report" as const),
    node,
    back: small,
    sequence: fc.integer({ min: 1, max: 4 }),
    outcome: fc.constantFrom("applied" as const, "failed" as const),
    present: fc.boolean(),
    isOther: fc.boolean(),
    wasTold: fc.boolean(),
  }),
);

/** Apart, because each waits for the gate: inside of it, it would wait for itself. */
const claimAct = fc.oneof(
  fc.record({ act: fc.constant("claim" as const), node, epoch: fc.integer({ min: 1, max: 4 }), number: small }),
  fc.record({ act: fc.constant("recover" as const), without: fc.uniqueArray(node) }),
);

export const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ act: fc.constant("take" as const), holder, isStale: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constantFrom("renew" as const, "release" as const),
      holder,
      back: small,
      ahead: small,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constant("gate" as const),
      back: fc.constantFrom(0, 0, 0, 1),
      count: fc.integer({ min: 1, max: 3 }),
      inside: fc.array(insideAct, { maxLength: 6 }),
      meanwhile: fc.array(outsideAct, { maxLength: 1 }),
      breaks: fc.constantFrom(false, false, false, true),
    }),
  },
  { weight: 6, arbitrary: outsideAct },
  { weight: 2, arbitrary: claimAct },
  { weight: 3, arbitrary: pruneAct },
);

export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
export type Outside = typeof outsideAct extends fc.Arbitrary<infer T> ? T : never;
export type Inside = typeof insideAct extends fc.Arbitrary<infer T> ? T : never;
