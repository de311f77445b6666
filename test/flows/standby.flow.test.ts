import { once } from "node:events";
import { createServer } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runMesh } from "../cli/fake-context.ts";
import { openMeshConnection } from "../../src/cli/mesh-connection.ts";
import { listConditions, observeCondition } from "../../src/store/conditions.ts";
import { type MeshProcess, openServedMesh, type ServedMesh } from "./support/served-mesh.ts";
import { waitUntil } from "./support/wait-until.ts";

let served: ServedMesh;

beforeEach(async () => {
  served = await openServedMesh();
});
afterEach(() => served.close());

interface Shown {
  readonly standing: string;
  readonly holder: string | null;
  readonly epoch: number;
  readonly standbys: readonly { readonly holder: string }[];
  readonly grants: readonly { readonly epoch: number; readonly holder: string; readonly ended: string | null }[];
}

async function mesh(...words: string[]) {
  return runMesh(words, { env: { MESH_STATE: served.state }, openMesh: openMeshConnection });
}

async function showLease(): Promise<{ code: number; shown: Shown }> {
  const ran = await mesh("lease", "show", "--history", "--json");
  return { code: ran.code, shown: JSON.parse(ran.stdout) as Shown };
}

const pidOf = (holder: string | null): number => Number(holder?.split("/").at(1));

it(
  "of three controllers one acts and the others say who; when it is killed one of them acts (R34, R50, case 44)",
  { timeout: 240_000 },
  async () => {
    const first = served.startController();
    await waitUntil("the first one acts", async () => (await showLease()).shown.epoch === 1, 90_000);
    await first.hears("ready");
    // What only the one that acts knows of its machine is not taken back by one that waits.
    const said = { code: "builds-without-sandbox", subject: "builds", message: "m", remedy: "r", urgent: false };
    await observeCondition(served.db, served.mesh, said);
    const controllers = [first, served.startController(), served.startController()];
    const stands = async (count: number): Promise<boolean> => (await showLease()).shown.standbys.length === count;
    await waitUntil("one acts and two stand by", async () => stands(2), 90_000);

    expect((await listConditions(served.db, served.mesh)).map(({ code }) => code)).toContain(said.code);
    const before = await showLease();
    expect(before).toMatchObject({ code: 0, shown: { standing: "held", epoch: 1 } });
    const holder = find(controllers, pidOf(before.shown.holder));
    const others = controllers.filter((one) => one !== holder);
    expect(new Set(before.shown.standbys.map((one) => pidOf(one.holder)))).toEqual(
      new Set(others.map((one) => one.pid)),
    );
    for (const other of others) await other.hears(`${before.shown.holder} holds the lease since `);
    const status = await mesh("status");
    expect(status.stdout).toContain(`controller ${before.shown.holder} acts under epoch 1`);
    for (const other of others) expect(status.stdout).toMatch(new RegExp(`/${other.pid}/[0-9a-f]{8} stands by`));

    await holder.end("SIGKILL");
    await waitUntil("another one acts", async () => (await showLease()).shown.epoch === 2, 60_000);
    const after = await showLease();
    const next = find(others, pidOf(after.shown.holder));
    const last = others.find((one) => one !== next);
    await last?.hears(`${after.shown.holder} holds the lease since `);
    expect(after.shown.grants).toMatchObject([
      { epoch: 2, holder: after.shown.holder, ended: null },
      { epoch: 1, holder: before.shown.holder, ended: "taken-over" },
    ]);

    expect(await next.end("SIGTERM")).toBe(0);
    await waitUntil("the last one acts", async () => (await showLease()).shown.epoch === 3, 60_000);
    const { shown } = await showLease();
    expect(pidOf(shown.holder)).toBe(last?.pid);
    expect(shown.standbys).toEqual([]);
    expect(shown.grants.map((grant) => grant.ended)).toEqual([null, "given-back", "taken-over"]);
  },
);

it(
  "one whose port is held, as by a controller that hangs, says so, ends, and gives the lease back at once",
  { timeout: 120_000 },
  async () => {
    const holding = createServer().listen(served.gateway.port, served.gateway.host);
    await once(holding, "listening");
    const refused = served.startController();
    await refused.hears("another program listens there");
    await refused.hears("A controller of this mesh that hangs keeps its port");
    expect(await refused.ended()).not.toBe(0);
    const { shown } = await showLease();
    expect(shown).toMatchObject({ holder: null, grants: [{ epoch: 1, ended: "given-back" }] });
    holding.close();
    await once(holding, "close");
    await served.startController().hears("ready");
  },
);

function find(processes: readonly MeshProcess[], pid: number): MeshProcess {
  const found = processes.find((one) => one.pid === pid);
  if (found === undefined) throw new Error(`no process of this test has the pid ${pid}`);
  return found;
}
