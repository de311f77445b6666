import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPushRecords, type GateRecords } from "../../src/activities/push-records.ts";
import { tellBatch } from "../../src/activities/tell.ts";
import { generateSigningKey } from "../../src/link/keys.ts";
import { sealDeclaration } from "../../src/link/declaration-envelope.ts";
import { newestDeclaration } from "../../src/store/declarations.ts";
import { seedAssignment, seedBuild, seedNodes } from "../flows/support/seed-mesh.ts";
import { grant, mesh, openRecords, type Records } from "../store/open-records.ts";

let records: Records;
beforeEach(async () => {
  records = await openRecords();
});
afterEach(() => records.close());

const nodes = Array.from({ length: 12 }, (_, at) => `n${String(at).padStart(2, "0")}`);

/** One push of these, as the activity tells them; how often what was asked under the gate. */
async function tell(named: readonly string[], epoch: number, envelopeBytes = 0): Promise<Record<string, number>> {
  const push = `of-${named.length}`;
  const real = createPushRecords(records.db, mesh);
  await real.openPush({ id: push, kind: "named", named: [...named], requestedBy: "a test", why: "" });
  await real.recordTargets(
    { push, round: 0 },
    named.map((node) => ({ node, why: "named" })),
  );
  const asked: Record<string, number> = {};
  const count = (gate: GateRecords): GateRecords =>
    new Proxy(gate, {
      get: (target, name, receiver) => {
        asked[String(name)] = (asked[String(name)] ?? 0) + 1;
        return Reflect.get(target, name, receiver) as unknown;
      },
    });
  const key = generateSigningKey();
  const deps = {
    records: {
      ...real,
      passGate: ((request, fn) =>
        real.passGate(request, (gate, numbers) => fn(count(gate), numbers))) as typeof real.passGate,
    },
    mesh,
    epoch,
    mayAct: () => true,
    signDeclaration: (declaration: Parameters<typeof sealDeclaration>[0]) =>
      envelopeBytes === 0 ? sealDeclaration(declaration, [key]) : Buffer.alloc(envelopeBytes, declaration.node),
    sealSecret: () => Promise.reject(new Error("nothing is sealed here")),
    staleAfterMs: 86_400_000,
    nowMs: Date.now,
    makePassword: () => "none",
  };
  const request = { mesh, push, round: 0, from: 0, count: named.length, confirmRemoval: false };
  const { sent } = await tellBatch(deps, request, new AbortController().signal);
  expect(sent).toBe(named.length);
  return asked;
}

describe("what a batch asks of the records under the gate (R28)", () => {
  let epoch = 0;
  beforeEach(async () => {
    epoch = await grant(records.db);
    await seedNodes({ db: records.db, mesh }, nodes);
    await seedBuild({ db: records.db, mesh }, "app", 1);
    for (const node of nodes) await seedAssignment({ db: records.db, mesh }, node, "app");
  });

  it("is the same number of statements for two nodes and for ten", async () => {
    const few = await tell(nodes.slice(0, 2), epoch);
    expect(await tell(nodes.slice(2), epoch)).toEqual(few);
    expect(few["insertDeclarations"]).toBe(1);
    const orders = [];
    for (const node of nodes) orders.push((await newestDeclaration(records.db, mesh, node))?.order.number);
    expect(orders).toEqual(nodes.map((_, at) => at + 1));
  });

  it("is in several parts where the declarations are large, and each has its own bytes", async () => {
    const asked = await tell(nodes.slice(0, 3), epoch, 3 * 1024 ** 2);
    expect(asked["insertDeclarations"]).toBe(2);
    for (const node of nodes.slice(0, 3)) {
      const mail = await newestDeclaration(records.db, mesh, node);
      expect(mail?.envelope.subarray(0, 3).toString()).toBe(node);
      expect(mail?.envelope.length).toBe(3 * 1024 ** 2);
    }
  });
});
