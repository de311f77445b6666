import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commandTable } from "../../src/cli/command-table.ts";
import { openMeshConnection } from "../../src/cli/mesh-connection.ts";
import { meshPaths } from "../../src/cli/mesh-setup.ts";
import { onlyLooks } from "../../src/cli/only-looks.ts";
import { observeCondition } from "../../src/store/conditions.ts";
import { mesh } from "../store/open-records.ts";
import { type ComparedBed, openComparedBed } from "./compared-bed.ts";
import { runMesh, type Ran } from "./fake-context.ts";

let bed: ComparedBed;
let login = "";
let state = "";

/** A person who may look and no more, as docs/security.md says to make one: a login of hers, and a folder of her own. */
beforeAll(async () => {
  bed = await openComparedBed();
  login = `alice_${randomBytes(4).toString("hex")}`;
  await bed.records.db.query(`create role ${login} login password 'canary' in role mesh_viewer`);
  state = join(bed.state, "alice");
  mkdirSync(join(state, "secrets"), { recursive: true, mode: 0o700 });
  const url = new URL(bed.records.url);
  Object.assign(url, { username: login, password: "canary" });
  writeFileSync(meshPaths(state).databaseUrl, url.href, { mode: 0o600 });
  const temporal = { address: "127.0.0.1:1", namespace: "default", ui: null };
  const gateway = { host: "127.0.0.1", port: 7443 };
  writeFileSync(join(state, "mesh.json"), JSON.stringify({ schema: 1, mesh, temporal, gateway, databaseRoles: true }));
}, 60_000);
afterAll(async () => {
  await bed.records.db.query(`drop role ${login}`);
  await bed.close();
});

const asAlice = (...argv: string[]): Promise<Ran> =>
  runMesh(argv, { env: { MESH_STATE: state }, openMesh: openMeshConnection });

describe("a login that may only look (R41)", { timeout: 60_000 }, () => {
  it("lists the conditions", async () => {
    const away = { code: "source-unreachable", subject: "shop#main", message: "m", remedy: "r", urgent: false };
    await observeCondition(bed.records.db, mesh, away);
    expect(await asAlice("conditions")).toMatchObject({
      code: 3,
      stdout: expect.stringContaining("source-unreachable"),
    });
  });

  it("asks what would be built, also where sources moved and are read for it", async () => {
    await bed.shop.commit({ "core/src/index.ts": "export const one = 2;\n" });
    const ran = await asAlice("build", "--dry-run", "--alone");
    expect([ran.code, ran.stdout]).toEqual([1, expect.stringMatching(/3 of 4 modules may be rebuilt/)]);
    expect(ran.stdout).toMatch(/read [1-9]\d* modules?/);
  });

  it("asks what a recovery would go above, while the mesh is stopped", async () => {
    await bed.records.db.query(`update mesh set stopped_at = now(), stopped_for = 'hosts-ahead'`);
    expect(await asAlice("recover")).toMatchObject({ code: 1, stdout: expect.stringContaining("--yes") });
    await bed.records.db.query(`update mesh set stopped_at = null, stopped_for = null`);
  });

  it.each(["conditions clear lease-records-lost mesh/demo", "build", "recover --yes", "records prune"])(
    "is refused mesh %s, with the role that it would need",
    async (words) => {
      const ran = await asAlice(...words.split(" "));
      expect([ran.code, ran.stderr]).toEqual([2, expect.stringMatching(/mesh_(operator|controller)/)]);
    },
  );
});

it("what only looks is a form of a command that there is", () => {
  const writing = commandTable.filter(({ as }) => as !== "viewer").map(({ words }) => words);
  expect(Object.keys(onlyLooks).filter((words) => !writing.includes(words))).toEqual([]);
});
