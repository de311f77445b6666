import { beforeEach, describe, expect, it } from "vitest";
import type { Declaration } from "../../src/core/declaration.ts";
import { readSentContents } from "../../src/cli/read-sent-contents.ts";
import { assign } from "../../src/store/assignments.ts";
import type { Database } from "../../src/store/database.ts";
import { insertDeclarations } from "../../src/store/declarations.ts";
import { withGate } from "../../src/store/gate.ts";
import { addNodes, declarationOf, grant, mesh } from "../store/open-records.ts";
import { type ArtifactBed, openArtifactBed } from "./artifact-bed.ts";
import { runMesh } from "./fake-context.ts";

let bed: ArtifactBed;
beforeEach(async () => {
  bed = await openArtifactBed();
  return () => bed.close();
});

/** As in a mailbox: the bytes hold the declaration. Answers its place. */
async function sendWhole(epoch: number, node: string, content: Partial<Declaration["content"]>) {
  return await withGate(bed.records.db, { mesh, epoch, count: 1 }, async (tx, [number = 0]) => {
    const declaration = declarationOf(node, { epoch, number }, content);
    const payload = Buffer.from(JSON.stringify(declaration)).toString("base64");
    const envelope = Buffer.from(JSON.stringify({ payload }));
    await insertDeclarations(tx, [{ declaration, envelope, offers: [], push: "p1", round: 0, why: "a test" }]);
    return { node, order: { epoch, number } };
  });
}

describe("mesh plan of several nodes (R23)", () => {
  it("shows the difference to what each was sent last, read in one statement and after the decisions", async () => {
    const { db } = bed.records;
    const one = await bed.build("core", { "a.txt": "one" });
    const two = await bed.build("core", { "a.txt": "two" });
    const nodes = ["node-a", "node-b", "node-c"];
    await addNodes(db, ...nodes);
    await db.query("update node set incarnation = 'aaaa'");
    const epoch = await grant(db);
    for (const node of nodes) {
      await assign(db, mesh, { node, module: "core", config: {}, providers: {} });
      await sendWhole(epoch, node, { builds: { core: one.artifact.digest } });
    }
    const asked: string[] = [];
    const ran = await runMesh(["plan", ...nodes, "--json"], {
      env: { MESH_STATE: bed.state },
      openMesh: async (state, as) => {
        const connection = await bed.connect(state, as);
        const query: Database["query"] = (sql, values) => {
          asked.push(sql);
          return connection.db.query(sql, values);
        };
        return { ...connection, db: { ...connection.db, query } };
      },
    });
    const plan = JSON.parse(ran.stdout) as { readonly nodes: readonly { readonly changes: unknown }[] };
    expect(plan).toMatchObject({ nodes: nodes.map((node) => ({ node, outcome: "would-be-sent" })) });
    for (const { changes } of plan.nodes)
      expect(JSON.stringify(changes)).toMatch(
        new RegExp(`${one.artifact.digest.slice(7, 14)}.*${two.artifact.digest.slice(7, 14)}`),
      );
    expect(asked.filter((sql) => sql.includes("envelope"))).toHaveLength(1);
  });

  it("cannot tell where what a node was sent was pruned since", async () => {
    await addNodes(bed.records.db, "node-a");
    const place = await sendWhole(await grant(bed.records.db), "node-a", {});
    const { db } = bed.records;
    expect([...(await readSentContents(db, mesh, [place]))]).toMatchObject([["node-a", { resources: [] }]]);
    await db.query("delete from declaration");
    await expect(readSentContents(db, mesh, [place])).rejects.toMatchObject({ name: "UnavailableError" });
  });
});
