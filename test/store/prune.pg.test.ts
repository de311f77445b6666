import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  createPruneRecords,
  planPruning,
  pruneAll,
  type PruneCounts,
  type PrunePass,
  type PruneRecords,
} from "../../src/activities/prune-records.ts";
import { DeadEpochError, StoppedError } from "../../src/core/errors.ts";
import { nameSchema } from "../../src/core/names.ts";
import { judgeReport } from "../../src/decide/judge-report.ts";
import { keepAccount } from "../../src/store/accounts.ts";
import { restoreBackup } from "../../src/store/backup/restore-backup.ts";
import { takeBackup } from "../../src/store/backup/take-backup.ts";
import { listSent } from "../../src/store/declarations.ts";
import { keepClaim } from "../../src/store/heed-claim.ts";
import { releaseLease } from "../../src/store/lease.ts";
import { recoverMesh } from "../../src/store/recovery.ts";
import { readPruned } from "../../src/store/prune/read-pruned.ts";
import { removeNode } from "../../src/store/remove-node.ts";
import { readStop } from "../../src/store/stop.ts";
import { addNodes, digestOf, grant, mesh, openRecords, reportOf, type Records, sendOne } from "./open-records.ts";

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());
beforeEach(async () => {
  await records.db.query(`truncate mesh cascade`);
  await records.db.query(`insert into mesh (name) values ($1)`, [mesh]);
});

const bounds = { keepMs: 90 * 86_400_000, last: 3 };

function passOf(epoch: number, more: Partial<PrunePass> = {}): PrunePass {
  // With the rights of a controller: what prunes may not do more than that.
  const prune = createPruneRecords(records.as("controller"), mesh);
  return { records: prune, mesh, epoch, bounds, mayAct: () => true, pause: () => Promise.resolve(), ...more };
}

async function count(table: string): Promise<number> {
  const { rows } = await records.db.query(`select count(*)::int as count from ${table}`);
  return (rows[0] as { count: number }).count;
}

/** Many nodes with many declarations, one push for each number; all but the newest five pushes are 100 days old. */
async function fill(nodes: number, sends: number, epoch: number): Promise<void> {
  const { db } = records;
  const old = `now() - case when s <= $3::int - 5 then interval '100 days' else interval '1 hour' end`;
  await db.query(
    `insert into node (mesh, name, address, incarnation, enrolled_at)
       select $1, 'n' || n, '10.0.0.1', 'aaaa', now() from generate_series(1, $2::int) n`,
    [mesh, nodes],
  );
  await db.query(
    `insert into push (mesh, id, kind, named, requested_by, opened_at, ended_at)
       select $1, 'push-' || s, 'all', '[]', 'somebody', ${old} + s * interval '1 second', ${old} + s * interval '1 second'
         from generate_series(1, $3::int) s where $2::int > 0`,
    [mesh, nodes, sends],
  );
  const each = `generate_series(1, $2::int) n cross join generate_series(1, $3::int) s`;
  await db.query(
    `insert into declaration (mesh, node, epoch, number, digest, incarnation, envelope, builds, push, round, why, issued_at, stale_after)
       select $1, 'n' || n, $4::bigint, (s - 1) * $2::int + n, $5, 'aaaa', 'envelope', '{}', 'push-' || s, 0, 'a test', ${old}, now()
         from ${each}`,
    [mesh, nodes, sends, epoch, digestOf("content")],
  );
  await db.query(
    `insert into told (mesh, push, round, node, outcome, why, epoch, number, digest, at)
       select $1, 'push-' || s, 0, 'n' || n, 'sent', '', $4::bigint, (s - 1) * $2::int + n, $5, ${old} from ${each}`,
    [mesh, nodes, sends, epoch, digestOf("content")],
  );
  await db.query(
    `insert into push_target (mesh, push, round, position, node, why)
       select $1, 'push-' || s, 0, n, 'n' || n, '' from ${each}`,
    [mesh, nodes, sends],
  );
  // A tenth was never heard, a tenth stands still at its second declaration, the others are at the newest.
  await db.query(
    `insert into account (mesh, node, incarnation, epoch, number, boot, sequence, digest, outcome, report, received_at)
       select $1, 'n' || n, 'aaaa', $4::bigint, case when n % 10 = 1 then $2::int + n else ($3::int - 1) * $2::int + n end,
              1, 1, $5, 'applied', $6::jsonb || jsonb_build_object('node', 'n' || n), now() from generate_series(1, $2::int) n where n % 10 <> 0`,
    [mesh, nodes, sends, epoch, digestOf("content"), JSON.stringify(reportOf("n1"))],
  );
  await db.query(`update mesh set number = $2::int where name = $1`, [mesh, nodes * sends]);
  await db.query(`analyze`);
}

describe("pruning", () => {
  it("goes in bounded batches beside pushes, and takes nothing that is needed", { timeout: 600_000 }, async () => {
    const [nodes, sends] = [2_000, 8];
    const epoch = await grant(records.db);
    await fill(nodes, sends, epoch);
    const before = await listSent(records.db, mesh);
    const batches: number[] = [];
    const inner = createPruneRecords(records.as("controller"), mesh);
    const watched: PruneRecords = {
      ...inner,
      async prune(kind, request) {
        const gone = await inner.prune(kind, request);
        batches.push(gone);
        return gone;
      },
    };
    const over = new AbortController();
    const told: number[] = [];
    const tell = async (): Promise<void> => {
      while (!over.signal.aborted) told.push((await sendOne(records.db, epoch, `n${(told.length % 100) + 1}`)).number);
    };
    const telling = tell();
    const gone = await pruneAll(passOf(epoch, { records: watched })).finally(() => {
      over.abort();
    });
    await telling;
    expect(Math.max(...batches)).toBeLessThanOrEqual(2_000);
    // Eight tenths keep the five young ones; one tenth keeps all, and one all but its first.
    const firsts = nodes / 10;
    expect(gone).toMatchObject({ declarations: (nodes * 8 * 3) / 10 + firsts, targets: nodes * 3 });
    expect(await count("declaration")).toBe(nodes * sends + told.length - (gone.declarations ?? 0));
    const after = new Map((await listSent(records.db, mesh)).map((one) => [one.node, one]));
    for (const one of before) {
      const now = after.get(one.node);
      if (Number(one.node.slice(1)) > 100) expect(now).toEqual(one);
    }
    // Numbers go on, and the sends that ran meanwhile are all there.
    expect(told).toEqual(told.toSorted((a, b) => a - b));
    const { rows } = await records.db.query(`select number from declaration where number > $1 order by number`, [
      nodes * sends,
    ]);
    expect(rows.map((row) => Number((row as { number: string }).number))).toEqual(told);
    // What stands still may still say what it has.
    const { rows: still } = await records.db.query(`select count(*)::int as count from declaration d join account a
        on a.mesh = d.mesh and a.node = d.node and a.epoch = d.epoch and a.number = d.number`);
    expect((still[0] as { count: number }).count).toBe((nodes * 9) / 10);
    // And a second pass finds nothing.
    expect(await pruneAll(passOf(epoch))).toEqual({});
    const plan = await planPruning(passOf(epoch));
    expect(plan.filter(({ go }) => go > 0)).toEqual([]);
  });

  it("is refused under an epoch that is over, and while the mesh is stopped (R35, R36)", async () => {
    const epoch = await grant(records.db);
    await fill(3, 12, epoch);
    await grant(records.db, "controller-2");
    await expect(pruneAll(passOf(epoch))).rejects.toThrow(DeadEpochError);
    await records.db.query(`update mesh set stopped_at = now(), stopped_for = 'restored'`);
    await expect(pruneAll(passOf(epoch + 1))).rejects.toThrow(StoppedError);
    await expect(pruneAll(passOf(epoch + 1, { mayAct: () => false }))).rejects.toThrow(DeadEpochError);
    expect(await count("declaration")).toBe(36);
  });

  it("takes all that was sent to a node once it is removed for so long, and numbers what is enrolled again above it (R35)", async () => {
    const epoch = await grant(records.db);
    await fill(3, 12, epoch);
    await records.db.query(`update declaration set builds = '{}'`);
    await records.db.query(`update told set at = ended_at from push where id = push`);
    const kept = async (table: "declaration" | "told"): Promise<number[]> => {
      const { rows } = await records.db.query(
        `select (select count(*)::int from ${table} where node = name) as count from unnest(array['n2', 'n3']) as name`,
      );
      return rows.map((row) => (row as { count: number }).count);
    };
    const age = (table: string, columns: readonly string[]) =>
      records.db.query(
        `update ${table} set ${columns.map((one) => `${one} = ${one} - interval '100 days'`).join(", ")}`,
      );
    const removal = await removeNode(records.db, mesh, nameSchema.parse("n2"), { by: "me", whereEnrolled: "goes" });
    expect(removal.removed).toBe(true);
    await pruneAll(passOf(epoch));
    // Five are young, by their push and by themselves.
    expect(await kept("declaration")).toEqual([5, 5]);
    await age("declaration", ["issued_at"]);
    await age("push", ["opened_at", "ended_at"]);
    await pruneAll(passOf(epoch));
    // It was removed a moment ago: what became of it last is there, as of the others.
    expect([await kept("declaration"), await kept("told")]).toEqual([
      [3, 3],
      [3, 3],
    ]);
    await age("removed_node", ["removed_at"]);
    expect(await pruneAll(passOf(epoch))).toEqual({ declarations: 3, told: 3 });
    expect([await kept("declaration"), await kept("told")]).toEqual([
      [0, 3],
      [0, 3],
    ]);
    // Added again: what its host had then is no sign that records were lost, and what it is sent is above it.
    const last = { epoch, number: 11 * 3 + 2 };
    expect(await readPruned(records.db, mesh, "n2")).toEqual(last);
    await addNodes(records.db, "n2");
    await records.db.query(`update node set incarnation = 'aaaa', enrolled_at = now() where name = 'n2'`);
    const claim = { node: "n2", incarnation: "aaaa", order: last, digest: digestOf("content") };
    expect(await keepClaim(records.db, mesh, claim)).toEqual({ kind: "known" });
    expect(await readStop(records.db, mesh)).toBeNull();
    expect((await sendOne(records.db, epoch, "n2")).number).toBeGreaterThan(last.number);
    // The name is a node's again: what it is sent stays as any other's.
    await age("declaration", ["issued_at"]);
    await pruneAll(passOf(epoch));
    expect(await kept("declaration")).toEqual([1, 3]);
  });

  it("lets two controllers at it at once: each record goes once", async () => {
    const epoch = await grant(records.db);
    await fill(50, 12, epoch);
    const sum = (all: readonly PruneCounts[]): number => all.reduce((total, one) => total + (one.declarations ?? 0), 0);
    const both = await Promise.all([pruneAll(passOf(epoch)), pruneAll(passOf(epoch))]);
    expect(sum(both)).toBe(600 - (await count("declaration")));
  });

  it("takes the builds that gave nothing also where more older ones stay for their artifacts, in batches of any size", async () => {
    const epoch = await grant(records.db);
    const { db } = records;
    // Older than all others: thirty whose artifacts are there. Then five that gave nothing, then the last three.
    for (const module of ["app", "core"]) {
      await db.query(
        `insert into build (mesh, module, inputs, closure, commit, state, claimant, artifact, started_at, ended_at)
           select $1, $2, md5($2 || n), '{}', 'c', case when n <= 30 then 'fit' else 'unfit' end, 'x',
                  case when n <= 30 then 'artifact ' || n end, t, t
             from generate_series(1, 38) n cross join lateral (select now() - (200 - n) * interval '1 day' as t) as at`,
        [mesh, module],
      );
      await db.query(
        `insert into artifact (mesh, module, digest, blob, blob_bytes, files, manifest)
           select $1, $2, 'artifact ' || n, $3, 1, 1, '{}' from generate_series(1, 30) n`,
        [mesh, module, digestOf(module)],
      );
    }
    const plan = await planPruning(passOf(epoch));
    expect(plan.find(({ kind }) => kind === "builds")).toEqual({
      kind: "builds",
      go: 10,
      stay: expect.arrayContaining([
        { why: "its artifact is there", count: 60 },
        { why: "it is among the last", count: 6 },
      ]),
    });
    const inner = passOf(epoch).records;
    const small: PruneRecords = {
      ...inner,
      read: (kind, from) => inner.read(kind, { ...from, ofEach: 7 }),
      prune: (kind, request) => inner.prune(kind, { ...request, from: { ...request.from, ofEach: 7 } }),
    };
    expect(await pruneAll(passOf(epoch, { records: small }))).toEqual({ builds: 10 });
    const { rows } = await db.query(`select distinct started_at::date - now()::date as day from build
       where state = 'unfit' order by day`);
    expect(rows).toHaveLength(3);
    expect(await pruneAll(passOf(epoch))).toEqual({});
    expect((await planPruning(passOf(epoch))).filter(({ go }) => go > 0)).toEqual([]);
  });

  it("does not take a host that was put back for a sign of lost records (R35, case 33)", async () => {
    const epoch = await grant(records.db);
    await fill(1, 12, epoch);
    const has = { epoch, number: 1 };
    await pruneAll(passOf(epoch));
    const claim = { node: "n1", incarnation: "aaaa", order: has, digest: null };
    await records.db.query(`update account set epoch = $1::bigint, number = 12`, [epoch]);
    await pruneAll(passOf(epoch));
    expect(await keepClaim(records.db, mesh, claim)).toEqual({ kind: "known" });
    const report = reportOf("n1", { has, digest: digestOf("content"), sequence: 9 });
    const look = await keepAccount(records.db, mesh, report, (facts) =>
      judgeReport(report, { ...facts, account: facts.account && { ...facts.account } }),
    );
    expect(look.kind).toBe("older");
    expect(await readStop(records.db, mesh)).toBeNull();
    const lost = { ...claim, order: { epoch, number: 99 } };
    expect(await keepClaim(records.db, mesh, lost)).toEqual({ kind: "ahead", stops: true });
  });

  it("leaves records that can be backed up, restored and recovered (R35)", { timeout: 120_000 }, async () => {
    const epoch = await grant(records.db);
    await fill(5, 12, epoch);
    await pruneAll(passOf(epoch));
    const folder = await mkdtemp(join(tmpdir(), "mesh-prune-"));
    try {
      await releaseLease(records.db, { mesh, holder: "controller-1", epoch });
      const file = join(folder, "backup");
      await takeBackup(records.db, file);
      const kept = await listSent(records.db, mesh);
      await restoreBackup(records.db, { file, mesh, by: "somebody", replace: true });
      expect(await listSent(records.db, mesh)).toEqual(kept);
      await addNodes(records.db, "later");
      const all = ["n1", "n2", "n3", "n4", "n5"];
      const { plan } = await recoverMesh(records.db, { mesh, without: all, by: "somebody", why: "a test" });
      expect(plan).toMatchObject({ kind: "ready", number: expect.any(Number) });
      expect(await readStop(records.db, mesh)).toBeNull();
      const next = await sendOne(records.db, await grant(records.db, "controller-2"), "n1");
      expect(next.number).toBeGreaterThan(60);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
