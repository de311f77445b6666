import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withIssued } from "../../src/decide/apply-composition.ts";
import { compose } from "../../src/decide/compose.ts";
import { composeForPush } from "../../src/decide/compose-for-push.ts";
import { decideTell, type TellDecision } from "../../src/decide/decide-tell.ts";
import type { World } from "../../src/decide/world.ts";
import { ensureMesh } from "../../src/store/meshes.ts";
import { loadWorldFor } from "../../src/store/part-of-world.ts";
import { inTransaction } from "../../src/store/transaction.ts";
import { loadWorld } from "../../src/store/world.ts";
import { anyBatch, anyRecords, type AnyRecords } from "../decide/support/any-records.ts";
import { partOf } from "../simulation/store/contract-answers.ts";
import { partFor } from "../simulation/store/part-for.ts";
import { openRecords, type Records } from "./open-records.ts";

let records: Records;
let meshes = 0;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const snapshot = { isolation: "repeatable read", access: "read only" } as const;

/** In a mesh of its own. Answers its name. */
async function keep(any: AnyRecords): Promise<string> {
  const mesh = `mesh-${(meshes += 1)}`;
  await ensureMesh(records.db, mesh);
  await records.db.query(`insert into repository (mesh, name, url) values ($1, 'r', 'file:///r.git')`, [mesh]);
  const artifacts = any.artifacts.map(({ artifact, manifest }) => ({ ...artifact, manifest }));
  const manifests = new Map(any.artifacts.map((one) => [one.artifact.digest, one.manifest]));
  const modules = any.modules.map((one) => {
    const made = manifests.get(one.fit ?? "");
    return { ...one, manifest: made === undefined || one.upgrade === null ? null : { ...made, upgrade: one.upgrade } };
  });
  for (const [sql, rows] of [
    [
      `insert into node (mesh, name, address, incarnation) select $1, name, address, incarnation
        from jsonb_to_recordset($2::jsonb) as n(name text, address text, incarnation text)`,
      any.nodes,
    ],
    [
      `insert into module (mesh, name, repository, branch, path, manifest, fit_artifact)
        select $1, name, 'r', 'main', name, nullif(manifest, 'null'), fit
        from jsonb_to_recordset($2::jsonb) as m(name text, manifest jsonb, fit text)`,
      modules,
    ],
    [
      `insert into artifact (mesh, module, digest, blob, blob_bytes, files, manifest)
        select $1, module, digest, blob, "blobBytes", files, manifest from jsonb_to_recordset($2::jsonb)
          as a(module text, digest text, blob text, "blobBytes" bigint, files integer, manifest jsonb)`,
      artifacts,
    ],
    [
      `insert into assignment (mesh, node, module, providers) select $1, node, module, providers
        from jsonb_to_recordset($2::jsonb) as s(node text, module text, providers jsonb)`,
      any.assignments,
    ],
    [
      `insert into declaration (mesh, node, epoch, number, digest, incarnation, envelope, builds, offers, push, round,
                               why, issued_at, stale_after)
        select $1, node, 1, number, digest, incarnation, '', nullif(builds, 'null'), offers, 'p', 0, '', now(), now()
        from jsonb_to_recordset($2::jsonb)
          as d(node text, number bigint, digest text, incarnation text, builds jsonb, offers jsonb)`,
      any.sends,
    ],
    [
      `insert into provision (mesh, id, version, kind, consumer_node, consumer_module, requirement, provider_node,
                             provider_module, provider_incarnation, name, state, minted_by)
        select $1, id, version, kind, consumer->>'node', consumer->>'module', consumer->>'requirement',
               provider->>'node', provider->>'module', provider->>'incarnation', name, state, 'p'
        from jsonb_to_recordset($2::jsonb) as p(id text, version integer, kind text, consumer jsonb, provider jsonb,
                                                name text, state text)`,
      any.provisions,
    ],
    [
      `insert into host_claim (mesh, node, incarnation, epoch, number, kind) select $1, node, 'host-1', 1, number, 'ahead'
        from jsonb_to_recordset($2::jsonb) as c(node text, number bigint)`,
      any.claims,
    ],
    [
      `insert into account (mesh, node, incarnation, epoch, number, boot, sequence, outcome, report, received_at, reverted)
        select $1, node, incarnation, least(number, 1), number, 1, 1, 'none', '{}', now(), '{}'
        from jsonb_to_recordset($2::jsonb) as a(node text, incarnation text, number bigint)`,
      any.reverted,
    ],
  ] as const)
    await records.db.query(sql, [mesh, JSON.stringify(rows)]);
  return mesh;
}

/** What was sent last becomes what would be sent now: then only a claim of its host, its going back, or a change sends again. */
async function settle(mesh: string): Promise<void> {
  const world = await inTransaction(records.db, snapshot, (tx) => loadWorld(tx, mesh));
  for (const [node, { order }] of world.sent) {
    const { digest } = composeForPush(world, node, { named: true });
    const values = [mesh, order.number, digest];
    if (digest !== null)
      await records.db.query(`update declaration set digest = $3 where mesh = $1 and number = $2`, values);
  }
}

/** As `tellBatch` does: first what all of them mint and withdraw, then every decision. */
function tellAll(before: World, batch: Batch): TellDecision[] {
  const decide = (world: World, { node, how }: Batch[number]): TellDecision => {
    const named = how !== "cascaded";
    return decideTell({ world, node, named, byPolicy: how === "by policy", why: "", confirmRemoval: true });
  };
  let world = before;
  for (const one of batch) {
    const decision = decide(world, one);
    if (decision.kind === "send") world = withIssued(world, decision.mints, decision.withdrawals);
  }
  return batch.map((one) => decide(world, one));
}

type Batch = typeof anyBatch extends fc.Arbitrary<infer T> ? T : never;

describe("the part of the world that a batch reads (R26, R27)", () => {
  it("gives for every batch, byte for byte, what the whole world gives", { timeout: 300_000 }, async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(anyRecords, anyBatches, fc.boolean(), async (any, batches, isSettled) => {
        const mesh = await keep(any);
        if (isSettled) await settle(mesh);
        await inTransaction(records.db, snapshot, async (tx) => {
          const whole = await loadWorld(tx, mesh);
          for (const batch of batches) {
            const names = batch.map(({ node }) => node);
            const part = await loadWorldFor(tx, mesh, names);
            expect(partOf(part)).toEqual(partOf(partFor(whole, names)));
            const [ofPart, ofWhole] = [tellAll(part, batch), tellAll(whole, batch)];
            expect(JSON.stringify(ofPart)).toBe(JSON.stringify(ofWhole));
            for (const { node } of batch)
              expect(compose(part, node, { at: "newest" })).toEqual(compose(whole, node, { at: "newest" }));
            for (const code of ofWhole.flatMap(codesOf)) seen.add(code);
          }
        });
      }),
      { numRuns: 80 },
    );
    // The worlds are not all alike: each of these came up.
    expect([...seen]).toEqual(expect.arrayContaining(everyOutcome));
  });
});

const anyBatches = fc.array(anyBatch, { minLength: 3, maxLength: 3 });
const everyOutcome = [
  "send",
  "already-current",
  "held",
  "needs-confirmation",
  "no-provider",
  "several-providers",
  "chosen-provider-missing",
  "provider-never-told",
];

function codesOf(decision: TellDecision): string[] {
  return decision.kind === "not-worked-out" ? decision.problems.map(({ code }) => code) : [decision.kind];
}
