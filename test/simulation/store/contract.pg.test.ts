import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { GateRecords } from "../../../src/activities/push-records.ts";
import { digestOf, openRecords, type Records } from "../../store/open-records.ts";
import { comparable, openPostgres, openTwin, type StoreUnderContract } from "./both-stores.ts";
import { BreakError, byKey, partOf, readPush, settle, worldOf, readByOthers } from "./contract-answers.ts";
import { pruneBoth } from "./contract-prune.ts";
import { declarationOf, offered, provisionFor, reportFor, type SentOrder } from "./contract-documents.ts";
import { type Inside, type Outside, type Step, step } from "./contract-steps.ts";

let postgres: Records;
let meshes = 0;

beforeAll(async () => {
  postgres = await openRecords();
});
afterAll(() => postgres.close());

/** What one store has seen, by its own answers. */
interface Run {
  readonly store: StoreUnderContract;
  epoch: number;
  seenBefore: Awaited<ReturnType<ReturnType<StoreUnderContract["lease"]>["read"]>>;
  readonly sent: SentOrder[];
}

describe("the records and their twin (R27, R28, R35, R38, case 39)", () => {
  it("answer each step of any history alike", { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (history) => {
        meshes += 1;
        const mesh = `contract-${meshes}`;
        const stores = [await openPostgres(postgres.db, mesh), openTwin(mesh)];
        const runs = stores.map((store): Run => ({ store, epoch: 0, seenBefore: null, sent: [] }));
        const whole: Step[] = [{ act: "take", holder: "A", isStale: false }, ...openBoth, ...history];
        for (const [at, one] of whole.entries()) {
          const [real, twin] = [await answer(runs[0], one), await answer(runs[1], one)];
          expect(twin, `${at}: ${JSON.stringify(one)}`).toEqual(real);
        }
      }),
      { numRuns: 60, examples: [[mintedForNobody], [backToPruned], [openedAfterPruned], [wentBack], [dueAgain]] },
    );
  });
});

const openBoth = (["push-1", "push-2"] as const).map((id): Step => ({ act: "open", push: id, kind: "named" }));

/** Withdrawn before the provider was told of it: what it was told last confirms. */
const mintedForNobody: Step[] = [
  passes({ act: "send", push: "push-1", node: "node-c", at: 0, grants: false, build: null }),
  passes({ act: "mint", push: "push-1", consumer: "node-a", version: 1 }),
  passes({ act: "withdraw", push: "push-2", consumer: "node-a" }),
  says(0, 1),
];

/** What is under `auto` is due where an older build was sent, not after a recovery, and again once somebody sent something. */
const dueAgain: Step[] = [
  passes({ act: "send", push: "push-1", node: "node-a", at: 0, grants: true, build: "old" }),
  { act: "claim", node: "node-a", epoch: 4, number: 1 },
  { act: "recover", without: ["node-b", "node-c"] },
  { act: "take", holder: "B", isStale: false },
  passes({ act: "send", push: "push-1", node: "node-a", at: 0, grants: false, build: "old" }),
];

/** A host that left a declaration behind, which is pruned, says later that it has that one. */
const backToPruned: Step[] = [
  passes({ act: "send", push: "push-1", node: "node-c", at: 0, grants: false, build: null }),
  passes({ act: "told", push: "push-1", node: "node-c", round: 0, at: 0 }),
  passes({ act: "send", push: "push-2", node: "node-c", at: 0, grants: true, build: null }),
  says(0, 2),
  { act: "end", push: "push-1" },
  { act: "end", push: "push-2" },
  { act: "baseline", push: "push-2", digest: 1 },
  { act: "prune", back: 0, last: 1 },
  says(1, 1),
  { act: "claim", node: "node-c", epoch: 1, number: 0 },
  { act: "claim", node: "node-c", epoch: 1, number: 7 },
];

/** A host goes back and says so, until it has something that it did not have then. */
const wentBack: Step[] = [
  ...[0, 1].map(() => passes({ act: "send", push: "push-1", node: "node-c", at: 0, grants: false, build: null })),
  says(0, 2),
  says(1, 1, { wasTold: true }),
  passes({ act: "send", push: "push-2", node: "node-c", at: 0, grants: false, build: null }),
  says(0, 1, { wasTold: true }),
];

/** What was kept with a push goes with it: one of the same id has no baseline yet. */
const openedAfterPruned: Step[] = [
  { act: "baseline", push: "push-1", digest: 0 },
  { act: "end", push: "push-1" },
  { act: "prune", back: 0, last: 1 },
  { act: "open", push: "push-1", kind: "named" },
];

/** node-c says that it has applied what it was sent so many sends ago. */
function says(back: number, sequence: number, more: { readonly wasTold: boolean } = { wasTold: false }): Step {
  return { act: "report", node: "node-c", back, sequence, outcome: "applied", present: false, isOther: false, ...more };
}

function passes(inside: Inside): Step {
  return { act: "gate", back: 0, count: 1, inside: [inside], meanwhile: [], breaks: false };
}

/** What the step answers, and what then can be read. */
async function answer(run: Run | undefined, one: Step): Promise<unknown> {
  if (run === undefined) throw new Error("a store is missing");
  const { push: store, lease, listProvisions } = run.store;
  const answered = await settle(() => act(run, one));
  const read: unknown[] = [worldOf(await store.readWorld())];
  for (const id of ["push-1", "push-2"]) read.push(...(await readPush(store, id)));
  return comparable([
    answered,
    read,
    await lease("A").read(),
    byKey(await listProvisions()),
    await readByOthers(run.store),
  ]);
}

async function act(run: Run, one: Step): Promise<unknown> {
  const { store } = run;
  switch (one.act) {
    case "take": {
      const seen = await store.lease(one.holder).read();
      const taken = await store.lease(one.holder).take(one.isStale ? run.seenBefore : seen);
      run.seenBefore = seen;
      run.epoch = taken?.epoch ?? run.epoch;
      return taken;
    }
    case "renew": {
      const lease = store.lease(one.holder);
      const beat = ((await lease.read())?.beat ?? 0) + one.ahead;
      return lease.renew(run.epoch - one.back, { least: beat - 1, most: beat });
    }
    case "release":
      return store.lease(one.holder).release(run.epoch - one.back);
    case "gate":
      return passGate(run, one);
    case "claim":
      return store.heedClaim(one.node, { epoch: one.epoch, number: one.number + 1 });
    case "recover":
      return store.recover(one.without);
    case "prune":
      return pruneBoth(store, run.epoch, one);
    case "open":
    case "end":
    case "baseline":
    case "targets":
    case "report":
      return actOutside(run, one);
  }
}

async function passGate(run: Run, gate: Extract<Step, { act: "gate" }>): Promise<unknown> {
  const epoch = run.epoch - gate.back;
  const answers: unknown[] = [];
  const sent: Run["sent"] = [];
  const numbers = await run.store.push.passGate({ epoch, count: gate.count }, async (records, taken) => {
    for (const one of gate.inside) answers.push(await actInside(run, { records, epoch, taken, sent }, one));
    // On a connection of their own; nothing of it is the transaction's to undo.
    for (const one of gate.meanwhile) answers.push(await actOutside(run, one));
    answers.push(partOf(await records.loadWorldFor(["node-a", "node-b", "node-c"])));
    if (gate.breaks) throw new BreakError("broken");
    return taken;
  });
  run.sent.push(...sent);
  return [numbers, answers];
}

interface InGate {
  readonly records: GateRecords;
  readonly epoch: number;
  readonly taken: readonly number[];
  readonly sent: Run["sent"];
}

async function actInside({ store }: Run, { records, epoch, taken, sent }: InGate, one: Inside): Promise<unknown> {
  switch (one.act) {
    case "world":
      return partOf(await records.loadWorldFor(one.nodes));
    case "nodes":
      return records.listNodesNamed(one.nodes);
    case "mint":
      return records.insertProvisions({ push: one.push, provisions: [provisionFor(one.consumer, one.version)] });
    case "withdraw":
      return records.withdrawProvisions({ push: one.push, ids: [provisionFor(one.consumer, 1).id] });
    case "seal": {
      const recipient = { node: one.consumer, incarnation: `host-${one.consumer}-1` };
      const wanted = { provision: provisionFor(one.consumer, 1).id, version: 1 };
      await records.insertSealedBoxes(recipient, [{ ...wanted, box: one.text }]);
      return records.listSealedBoxes(recipient, [wanted, { ...wanted, version: 2 }]);
    }
    case "send": {
      // No declaration has a number below 1: what is past those that were taken is the last of them.
      const number = taken[one.at] ?? taken.at(-1) ?? 1;
      const declaration = declarationOf(store.mesh, one.node, { epoch, number }, one);
      const envelope = Buffer.from(`envelope ${number}`);
      await records.insertDeclarations([
        { declaration, envelope, offers: one.grants ? [offered] : [], push: one.push, round: 0, why: "contract" },
      ]);
      sent.push({ node: one.node, epoch, number, digest: declaration.digest });
      return null;
    }
    case "told": {
      const outcome = one.at === 0 ? ("sent" as const) : ("held" as const);
      const order = outcome === "sent" ? { epoch, number: taken[0] ?? null } : { epoch: null, number: null };
      const { node: name, round } = one;
      await records.recordTold(one.push, [{ node: name, round, outcome, why: "contract", ...order, digest: null }]);
      const among = { push: one.push, round, nodes: ["node-a", "node-c"] };
      return [await records.listToldAmong(among), await records.getPushEnd(one.push)];
    }
  }
}

function actOutside(run: Run, one: Outside): Promise<unknown> {
  const { push: store, keepReport, mesh } = run.store;
  switch (one.act) {
    case "open": {
      const asked = { named: ["node-a", "node-b"], requestedBy: "contract", why: "" };
      return store.openPush({ id: one.push, kind: one.kind, ...asked });
    }
    case "end": {
      const counts = { rounds: 1, sent: 1, held: 0, notWorkedOut: 0, moving: [], message: "done" };
      return store.endPush(one.push, { push: one.push, outcome: "settled", ...counts });
    }
    case "baseline": {
      const digests = new Map([["node-a", one.digest === 0 ? null : digestOf(String(one.digest))]]);
      return store.recordBaseline(one.push, digests);
    }
    case "targets":
      return store.recordTargets(
        { push: one.push, round: one.round },
        one.nodes.toSorted().map((name) => ({ node: name, why: "contract" })),
      );
    case "report": {
      const known = run.sent.filter((sent) => sent.node === one.node).at(-1 - one.back);
      return keepReport(reportFor(mesh, one, known ?? null));
    }
  }
}
