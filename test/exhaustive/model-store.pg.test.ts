import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DeadEpochError } from "../../src/core/errors.ts";
import { withGate } from "../../src/store/gate.ts";
import { readLease, takeLease as takeRealLease } from "../../src/store/lease.ts";
import { ensureMesh } from "../../src/store/meshes.ts";
import { openRecords, type Records } from "../store/open-records.ts";
import { emptyGrants, emptyLease, emptyStore, passGate, takeLease } from "./model-store.ts";

let records: Records;
let meshes = 0;

beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const act = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ act: fc.constant("take" as const), holder: fc.constantFrom("A", "B"), stale: fc.boolean() }),
  },
  { weight: 6, arbitrary: fc.record({ act: fc.constant("pass" as const), back: fc.integer({ min: 0, max: 2 }) }) },
  { weight: 1, arbitrary: fc.constant({ act: "empty-lease" as const }) },
  { weight: 1, arbitrary: fc.constant({ act: "empty-grants" as const }) },
);

/** The model that every order is searched on does what PostgreSQL does, whatever comes in which order. */
describe("the model of the records (R27, R35, case 38)", () => {
  it("answers each step of any history as PostgreSQL does", { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 12 }), async (history) => {
        meshes += 1;
        const mesh = `model-${meshes}`;
        const { db } = records;
        await ensureMesh(db, mesh);
        let model = emptyStore;
        let seenBefore = model.lease;
        for (const step of history) {
          switch (step.act) {
            case "take": {
              const real = await readLease(db, mesh);
              const seen = step.stale ? seenBefore : model.lease;
              const expected = takeLease(model, step.holder, seen, true);
              const asked = step.stale ? seenBefore : real;
              const taken = await takeRealLease(db, { mesh, holder: step.holder, ageMs: 15_000, seen: asked });
              expect(taken?.epoch ?? null).toBe(expected?.epoch ?? null);
              seenBefore = model.lease;
              if (expected !== null) model = expected.store;
              break;
            }
            case "pass": {
              const epoch = model.epoch - step.back;
              const expected = passGate(model, epoch, true);
              const passed = await withGate(db, { mesh, epoch, count: 1 }, (_tx, numbers) =>
                Promise.resolve(numbers[0] ?? null),
              ).catch((error: unknown) => {
                if (error instanceof DeadEpochError) return null;
                throw error;
              });
              expect(passed).toBe(expected?.number ?? null);
              if (expected !== null) model = expected.store;
              break;
            }
            case "empty-lease":
              await db.query(`delete from lease where mesh = $1`, [mesh]);
              model = emptyLease(model);
              break;
            case "empty-grants":
              await db.query(`delete from epoch_grant where mesh = $1`, [mesh]);
              model = emptyGrants(model);
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});
