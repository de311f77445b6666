import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Order } from "../../src/core/declaration.ts";
import type { Provision } from "../../src/core/provision.ts";
import type { Resource } from "../../src/core/resource.ts";
import type { Transaction } from "../../src/store/database.ts";
import { withGate } from "../../src/store/gate.ts";
import {
  confirmWithdrawals,
  insertProvisions,
  listOwed,
  listProvisions,
  withdrawProvisions,
} from "../../src/store/provisions.ts";
import { insertSealedBoxes, listSealedBoxes } from "../../src/store/sealed-boxes.ts";
import {
  addNodes,
  declarationOf,
  grant,
  latch,
  mesh,
  openRecords,
  provisionOf,
  send,
  untilWaiting,
  type Records,
} from "./open-records.ts";

let records: Records;
let epoch: number;

beforeAll(async () => {
  records = await openRecords();
  await addNodes(records.db, "node-a", "node-b", "node-c");
  epoch = await grant(records.db);
});
afterAll(() => records.close());
beforeEach(() => records.db.query(`truncate provision, declaration cascade`));

const gate = <T>(fn: (tx: Transaction, number: number) => Promise<T>) =>
  withGate(records.db, { mesh, epoch, count: 1 }, (tx, [number = 0]) => fn(tx, number));
const mint = (...provisions: Provision[]) => gate((tx) => insertProvisions(tx, mesh, { push: "p1", provisions }));
const withdraw = (...ids: string[]) => gate((tx) => withdrawProvisions(tx, mesh, { push: "p2", ids }));

function grantOf(...granted: Provision[]): Resource {
  const grants = granted.map(({ id, version, consumer, name }) => ({ provision: id, version, consumer, name }));
  return {
    id: "grant/postgresql/postgresql",
    module: "postgresql",
    after: [],
    kind: "grant",
    provider: "postgresql",
    endpoint: { host: "127.0.0.1", port: 5432 },
    admin: "127.0.0.1:5432",
    adminUser: "postgres",
    adminPasswordFile: "password",
    grants,
  };
}
/** Sends the provider's node a declaration with this grant list. */
const tell = (...granted: Provision[]): Promise<Order> =>
  gate(async (tx, number) => {
    await send(tx, declarationOf("node-b", { epoch, number }, { resources: [grantOf(...granted)] }));
    return { epoch, number };
  });
const confirm = (has: Order, ...present: Provision[]) =>
  confirmWithdrawals(records.db, mesh, {
    node: "node-b",
    incarnation: "bbbb",
    has,
    grants: [
      {
        module: "postgresql",
        kind: "postgresql",
        present: present.map(({ id, version }) => ({ provision: id, version })),
      },
    ],
  });

describe("provisions", () => {
  const first = provisionOf("node-a");
  const other = provisionOf("node-c");

  it("have one live version of each pair", async () => {
    await mint(first);
    await expect(mint(provisionOf("node-a", 2))).rejects.toThrow("provision_live");
    await withdraw(first.id);
    await mint(provisionOf("node-a", 2));
    await withdraw(first.id);
    // A version that was withdrawn is never granted again.
    await expect(mint(provisionOf("node-a", 1))).rejects.toThrow("provision_pkey");
    expect((await listProvisions(records.db, mesh)).map(({ version, state }) => [version, state])).toEqual([
      [1, "owed"],
      [2, "owed"],
    ]);
  });

  it("are withdrawn and issued anew in one transaction", async () => {
    await mint(first);
    await gate(async (tx) => {
      expect(await withdrawProvisions(tx, mesh, { push: "p2", ids: [first.id] })).toBe(1);
      await insertProvisions(tx, mesh, { push: "p2", provisions: [provisionOf("node-a", 2)] });
    });
    expect(await listProvisions(records.db, mesh, { states: ["issued"] })).toMatchObject([{ version: 2 }]);
  });

  it("that were withdrawn are a debt with an age, until the provider reads back that they are gone (R20, case 23)", async () => {
    await mint(first, other);
    const before = await tell(first, other);
    await withdraw(first.id);
    await records.db.query(`update provision set withdrawn_at = now() - interval '1 hour' where state = 'owed'`);
    const [owed] = await listOwed(records.db, mesh);
    expect(owed).toMatchObject({ provision: { id: first.id, state: "owed" }, withdrawnBy: "p2", told: false });
    expect(owed?.ageMs).toBeGreaterThanOrEqual(3_600_000);
    // Gone by accident, before it was told: the next apply of `before` would make it again.
    expect(await confirm(before, other)).toEqual([]);
    const after = await tell(other);
    expect((await listOwed(records.db, mesh))[0]?.told).toBe(true);
    expect(await confirm(before, other)).toEqual([]);
    expect(await confirm(after, first, other)).toEqual([]);
    expect(await confirm(after, other)).toMatchObject([{ id: first.id, version: 1, state: "withdrawn" }]);
    expect(await listOwed(records.db, mesh)).toEqual([]);
    expect(await confirm(after, other)).toEqual([]);
    expect(await listProvisions(records.db, mesh, { states: ["issued"] })).toMatchObject([{ id: other.id }]);
  });

  it("are not confirmed by a declaration that still lists them, nor by a provider that was not read (R43)", async () => {
    await mint(first);
    await withdraw(first.id);
    const still = await tell(first);
    expect(await confirm(still)).toEqual([]);
    const after = await tell();
    const read = { node: "node-b", incarnation: "bbbb", has: after };
    expect(await confirmWithdrawals(records.db, mesh, { ...read, grants: [] })).toEqual([]);
    const wrongKind = {
      ...read,
      grants: [{ module: "postgresql", kind: "rabbitmq", present: [] }],
    } as const;
    expect(await confirmWithdrawals(records.db, mesh, wrongKind)).toEqual([]);
    expect(await confirmWithdrawals(records.db, mesh, { ...wrongKind, node: "node-a" })).toEqual([]);
    expect(await confirm(after)).toHaveLength(1);
  });

  it("withdrawn before their provider was told of them are confirmed by what it was told last (R20)", async () => {
    const last = await tell(other);
    await mint(first);
    await withdraw(first.id);
    // Nothing changed for that node: nothing is sent to it any more.
    expect(await listOwed(records.db, mesh)).toMatchObject([{ provision: { id: first.id }, told: true }]);
    expect(await confirm({ ...last, number: last.number - 1 }, other)).toEqual([]);
    expect(await confirm(last, first, other)).toEqual([]);
    expect(await confirm(last, other)).toMatchObject([{ id: first.id, version: 1, state: "withdrawn" }]);
  });

  it("withdrawn are told of by the next send where the last one lists them, or may list them (R20)", async () => {
    await mint(first, other);
    await tell(first);
    const last = await tell(first, other);
    await withdraw(first.id);
    // Sent by a release that did not record what it lists.
    await records.db.query(`update declaration set granted = null where number = $1`, [last.number]);
    await withdraw(other.id);
    expect(await listOwed(records.db, mesh)).toMatchObject([{ told: false }, { told: false }]);
    expect(await confirm(last)).toEqual([]);
    expect(await confirm(await tell())).toHaveLength(2);
  });

  it("are not taken for untold while an attempt in flight tells of them: the withdrawal waits for the gate (R27)", async () => {
    await tell();
    await mint(first);
    const commit = latch();
    const inFlight = gate(async (tx, number) => {
      await send(tx, declarationOf("node-b", { epoch, number }, { resources: [grantOf(first)] }));
      await commit.opened;
      return { epoch, number };
    });
    const withdrawn = withdraw(first.id);
    await untilWaiting(records.db);
    commit.open();
    await withdrawn;
    expect(await listOwed(records.db, mesh)).toMatchObject([{ provision: { id: first.id }, told: false }]);
    expect(await confirm(await inFlight)).toEqual([]);
    expect(await confirm(await tell())).toHaveLength(1);
  });

  it("are confirmed by version: the next one of the same pair may be there", async () => {
    await mint(first);
    await withdraw(first.id);
    await mint(provisionOf("node-a", 2));
    const after = await tell(provisionOf("node-a", 2));
    expect(await confirm(after, provisionOf("node-a", 2))).toMatchObject([{ version: 1 }]);
    expect(await listProvisions(records.db, mesh, { states: ["issued"] })).toMatchObject([{ version: 2 }]);
  });
});

describe("sealed boxes (R46)", () => {
  it("are sealed once for each recipient: the first stands, and another incarnation is another recipient", async () => {
    await mint(provisionOf("node-a"));
    const { id } = provisionOf("node-a");
    const to = (incarnation: string) => ({ node: "node-a", incarnation });
    const put = (incarnation: string, box: string) =>
      gate((tx) => insertSealedBoxes(tx, mesh, to(incarnation), [{ provision: id, version: 1, box }]));
    await put("aaaa", "first");
    await put("aaaa", "second");
    const wanted = [
      { provision: id, version: 1 },
      { provision: id, version: 2 },
    ];
    expect(await listSealedBoxes(records.db, mesh, to("aaaa"), wanted)).toEqual([
      { provision: id, version: 1, box: "first" },
    ]);
    expect(await listSealedBoxes(records.db, mesh, to("bbbb"), wanted)).toEqual([]);
  });

  it("are the only place for credentials: no column is for a clear secret", async () => {
    const { rows } = await records.db.query(
      `select table_name || '.' || column_name as name from information_schema.columns
        where table_schema = 'public' and column_name ~ '(pass|secret|credential|token|private)'`,
    );
    expect(rows).toEqual([]);
    const { rows: boxes } = await records.db.query(
      `select column_name as name from information_schema.columns where table_name = 'sealed_box' order by 1`,
    );
    expect(boxes.map((row) => (row as { name: string }).name)).toEqual([
      "box",
      "incarnation",
      "mesh",
      "node",
      "provision",
      "version",
    ]);
  });
});
