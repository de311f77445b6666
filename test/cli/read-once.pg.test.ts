import { beforeEach, expect, it } from "vitest";
import { buildStatus } from "../../src/cli/status/build-status.ts";
import { listLeft, readPush } from "../../src/cli/push/read-push.ts";
import { trackFailures } from "../../src/decide/track-failures.ts";
import { keepAccount } from "../../src/store/accounts.ts";
import { recordContact } from "../../src/store/nodes.ts";
import { recordTargets } from "../../src/store/push-targets.ts";
import { openPush, recordTold } from "../../src/store/pushes.ts";
import { loadStatus } from "../../src/cli/status/load-status.ts";
import type { Database } from "../../src/store/database.ts";
import { assign } from "../../src/store/assignments.ts";
import {
  addModules,
  addNodes,
  declarationOf,
  digestOf,
  grant,
  mesh,
  reportOf,
  sendOne,
} from "../store/open-records.ts";
import { type ArtifactBed, openArtifactBed } from "./artifact-bed.ts";
import { runMesh } from "./fake-context.ts";

let bed: ArtifactBed;
beforeEach(async () => {
  bed = await openArtifactBed();
  return () => bed.close();
});

const limits = { silentAfterMs: 60_000, recordsStaleAfterMs: 60_000, sourcesStaleAfterMs: 60_000 };

it("mesh status looks at each node as often as modules are on it, and not once for each module of the mesh", async () => {
  const { db } = bed.records;
  const epoch = await grant(db);
  const names = Array.from({ length: 30 }, (_, at) => `m${at + 10}`);
  await addModules(db, ...names);
  for (const [at, module] of names.entries()) {
    await addNodes(db, `node-${module}`);
    // Every other one is only assigned.
    await assign(db, mesh, { node: `node-${module}`, module, config: {}, providers: {} });
    if (at % 2 === 0) await sendOne(db, epoch, `node-${module}`, { builds: { [module]: digestOf(module) } });
  }
  await sendOne(db, epoch, "node-m10", { builds: { m10: digestOf("m10"), m39: digestOf("m39") } });
  const records = await loadStatus(db, mesh, { limits, lostAfterMs: 60_000 });
  let asked = 0;
  class Counted<K, V> extends Map<K, V> {
    override get(key: K): V | undefined {
      asked += 1;
      return super.get(key);
    }
  }
  const { modules } = buildStatus({ ...records, view: { ...records.view, sent: new Counted(records.view.sent) } });
  const onNodes = new Map(modules.map(({ module, runsOn }) => [module, runsOn.map(({ node }) => node)]));
  expect(onNodes).toEqual(
    new Map(names.map((name) => [name, name === "m39" ? ["node-m10", "node-m39"] : [`node-${name}`]])),
  );
  expect(asked).toBeLessThan(4 * names.length);
});

it("following a push reads the nodes that it told, and no others of the mesh", async () => {
  const { db } = bed.records;
  const epoch = await grant(db);
  const names = Array.from({ length: 30 }, (_, at) => `node-${at + 10}`);
  await addNodes(db, ...names);
  for (const node of names) {
    const has = await sendOne(db, epoch, node);
    const report = { ...reportOf(node, { has, digest: declarationOf(node, has).digest }), outcome: "applied" } as const;
    await keepAccount(db, mesh, report, ({ receivedAt }) => ({
      kind: "kept",
      track: trackFailures(null, report, receivedAt),
    }));
    await recordContact(db, mesh, node);
  }
  await openPush(db, mesh, {
    id: "p2",
    kind: "named",
    named: ["node-10"],
    requestedBy: "me",
    why: "",
    confirmRemoval: false,
  });
  await recordTold(db, mesh, "p2", [
    {
      node: "node-10",
      round: 0,
      outcome: "already-current",
      why: "as it was",
      epoch: null,
      number: null,
      digest: null,
    },
  ]);
  let rows = 0;
  const query: Database["query"] = async (sql, values) => {
    const result = await db.query(sql, values);
    rows += result.rows.length;
    return result;
  };
  const { nodes } = await readPush({ ...db, query }, mesh, "p2", 60_000);
  expect(nodes).toMatchObject([{ node: "node-10", effect: "applied" }]);
  // What was told, its account, what it was sent, its node, and the clock that ages are told by.
  expect(rows).toBe(5);
});

it("names every node that a push left moving, or that a declaration changed, however many (R18)", async () => {
  const { db } = bed.records;
  const nodes = Array.from({ length: 120 }, (_, at) => `node-${at + 100}`);
  await openPush(db, mesh, { id: "p3", kind: "named", named: ["node-100"], requestedBy: "me", why: "" });
  await recordTargets(
    db,
    mesh,
    { push: "p3", round: 6 },
    nodes.map((node) => ({ node, why: "its provider moved" })),
  );
  const left = await listLeft(db, mesh, { push: "p3", rounds: 6 });
  expect(left.map(({ node }) => node)).toEqual(nodes);
  expect(await listLeft(db, mesh, { push: "p3", rounds: 1 })).toEqual([]);
});

it("mesh build --again reads what it waits for once in each turn, however many modules there are", async () => {
  for (const name of ["app", "core", "page"]) await bed.build(name, { "a.txt": name });
  await grant(bed.records.db);
  const read: string[] = [];
  const ran = await runMesh(["build", "--again", "--timeout", "60", "--state", bed.state], {
    interrupt: AbortSignal.abort(),
    openMesh: async (state, as) => {
      const connection = await bed.connect(state, as);
      const query: Database["query"] = (sql, values) => {
        const table = /^\s*select[\s\S]*?from (artifact_doubt|build|build_check)\b/.exec(sql)?.[1];
        if (table !== undefined) read.push(table);
        return connection.db.query(sql, values);
      };
      return { ...connection, db: { ...connection.db, query } };
    },
  });
  expect(ran).toMatchObject({ code: 1, stdout: expect.stringMatching(/^app .*\ncore .*\npage /) });
  expect(read).toEqual(["artifact_doubt", "build", "build_check"]);
});
