import { spawn, type ChildProcess } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { orderSchema, type Order } from "../../src/core/declaration.ts";
import { whenThere } from "../../src/core/errors.ts";
import { compareOrder, describeOrder } from "../../src/decide/order.ts";
import { bundleHost, makeFolder } from "../support/host-bed.ts";
import { seedAssignment, seedBuild } from "./support/seed-mesh.ts";
import { openServedMesh, type MeshProcess, type ServedMesh } from "./support/served-mesh.ts";
import { waitUntil } from "./support/wait-until.ts";

/** Real controllers, gateway, PostgreSQL, Temporal and hosts, each a process: the drill of docs/recovery.md. */
const timeout = 600_000;
const nodes = ["node-a", "node-b"] as const;
type Node = (typeof nodes)[number];

let served: ServedMesh;
let folder: string;
let controller: MeshProcess;
const hosts: ChildProcess[] = [];
/** What each host had, whenever somebody looked. */
const seen = new Map<Node, Order[]>();

beforeEach(async () => {
  served = await openServedMesh();
  folder = await makeFolder();
  seen.clear();
  await startController();
  for (const node of nodes) await startHost(node);
  // Of a build only its name counts here: what it would do on a machine is nothing to the order.
  await seedBuild(served, "app", 1);
  for (const node of nodes) await seedAssignment(served, node, "app");
  await push();
});
afterEach(async () => {
  for (const host of hosts.splice(0)) host.kill("SIGKILL");
  await served.close();
  await rm(folder, { recursive: true, force: true });
});

async function mesh(...words: string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  const shell = served.startShell(...words);
  const code = await shell.ended();
  return { code, output: shell.output() };
}

async function startController(): Promise<void> {
  controller = served.startController();
  await controller.hears(`"msg":"ready"`, 120_000);
}

async function startHost(node: Node): Promise<void> {
  const { output } = await mesh("node", "add", node, "--address", "127.0.0.1", "--json");
  const { token } = z.object({ token: z.string() }).parse(JSON.parse(output.slice(output.indexOf("{"))));
  const dir = join(folder, node);
  await mkdir(dir);
  await writeFile(join(folder, `${node}.token`), token, { mode: 0o600 });
  const program = await bundleHost();
  const enrol = spawn(process.execPath, [
    program,
    "enrol",
    "--dir",
    dir,
    "--token-file",
    join(folder, `${node}.token`),
  ]);
  await new Promise((resolve) => enrol.once("close", resolve));
  hosts.push(spawn(process.execPath, [program, "run", "--dir", dir, "--interval", "5"], { stdio: "ignore" }));
}

/** Until these hosts have taken something newer. Without words: by name. */
async function push(who: readonly Node[] = nodes, ...words: string[]): Promise<void> {
  const before = await Promise.all(who.map(markOf));
  const { code, output } = await mesh("push", ...(words.length === 0 ? who : words), "--no-wait");
  expect(code, output).toBe(1);
  for (const [at, node] of who.entries())
    await waitUntil(
      `${node} has taken it`,
      async () => {
        const [mark, was] = [await markOf(node), before[at] ?? null];
        return mark !== null && (was === null || compareOrder(mark, was) > 0);
      },
      90_000,
    );
}

async function markOf(node: Node): Promise<Order | null> {
  const text = await whenThere(readFile(join(folder, node, "state", "mark.json"), "utf8"));
  if (text === null) return null;
  const { order } = z.object({ order: orderSchema }).parse(JSON.parse(text));
  const known = seen.get(node) ?? [];
  if (known.at(-1) === undefined || describeOrder(order) !== describeOrder(known.at(-1) ?? order))
    seen.set(node, [...known, order]);
  return order;
}

function expectNobodyWentBack(): void {
  for (const orders of seen.values()) expect(orders).toEqual(orders.toSorted(compareOrder));
}

/** As a person goes on: look, wait until the hosts were heard, recover, push. */
async function goOn(lost: Order, behind: readonly Node[] = nodes): Promise<void> {
  const stopped = await mesh("push", "node-a");
  expect(stopped.code, stopped.output).toBe(2);
  expect(stopped.output).toMatch(/is stopped, and nothing is sent: .*\n {2}next: see what each host has: mesh recover/);
  expect((await mesh("status")).output).toMatch(/STOPPED since .*\n[^]*! mesh-stopped/);
  let shown = await mesh("recover");
  await waitUntil(
    "both hosts were heard",
    async () => {
      shown = await mesh("recover");
      return shown.code === 1;
    },
    150_000,
  );
  expect(shown.output).toContain(`node-a  ${describeOrder(lost)}`);
  expect(shown.output).toMatch(/ahead: these records never sent it/);
  const term = controller.ended();
  show(stopped.output, (await mesh("status")).output, shown.output);
  const recovered = await mesh("recover", "--yes", "--why", "the drill");
  show(recovered.output);
  expect(recovered.code, recovered.output).toBe(0);
  // Its term is over: the process ends, and whatever keeps it running starts a newcomer.
  expect(await term).toBe(75);
  await startController();
  expect((await mesh("recover")).code).toBe(0);
  await push(behind, "--behind");
  const [now] = [await markOf("node-a")];
  expect(now === null ? 0 : compareOrder(now, lost)).toBeGreaterThan(0);
  expectNobodyWentBack();
}

/** With MESH_SHOW: what a person sees, as in docs/recovery.md. */
function show(...outputs: string[]): void {
  if (process.env["MESH_SHOW"] !== undefined) console.log(outputs.join("\n---\n"));
}

async function changeAfterBackup(who: readonly Node[] = nodes): Promise<Order> {
  await seedBuild(served, "app", 2);
  await push(who);
  const lost = await markOf("node-a");
  if (lost === null) throw new Error("node-a has nothing");
  await controller.end("SIGTERM");
  return lost;
}

describe("records that are older than what hosts have (R35)", () => {
  it("stop by themselves after mesh restore, and go on above it by mesh recover", { timeout }, async () => {
    const file = join(folder, "backup");
    expect((await mesh("backup", file)).code).toBe(0);
    const lost = await changeAfterBackup();
    expect((await mesh("restore", file)).output).toContain("has records of its own");
    const restored = await mesh("restore", file, "--replace");
    expect(restored.code, restored.output).toBe(0);
    await startController();
    await goOn(lost);
    // A drill by the book leaves nothing for a person to clear (R33).
    expect((await mesh("conditions", "--json")).output).not.toContain("lease-records-lost");
  });

  it(
    "keep the roots that were published since, and a host that was off walks over each of them",
    { timeout },
    async () => {
      const file = join(folder, "backup");
      expect((await mesh("backup", file)).code).toBe(0);
      // node-b sees nothing of this: neither the roots nor what is sent under them.
      hosts[nodes.indexOf("node-b")]?.kill("SIGSTOP");
      for (const version of [2, 3]) {
        expect(await mesh("keys", "rotate", "declaration")).toMatchObject({ code: 0 });
        const draft = join(served.state, "keys", `root-${version}.draft`);
        expect(await mesh("keys", "root", "publish", draft)).toMatchObject({ code: 0 });
        await controller.hears(`"to":${version},"msg":"the root was replaced"`);
      }
      const lost = await changeAfterBackup(["node-a"]);
      const restored = await mesh("restore", file, "--replace");
      expect(restored.output).toContain("root 2, 3, published since, is kept");
      hosts[nodes.indexOf("node-b")]?.kill("SIGCONT");
      await startController();
      // node-b missed nothing that the records still know of: it is not behind, and is sent the next thing.
      await goOn(lost, ["node-a"]);
      await seedBuild(served, "app", 3);
      await push();
      const newest = await readFile(join(served.state, "keys/root.dsse"));
      for (const node of nodes) expect(await readFile(join(folder, node, "keys/root.dsse"))).toEqual(newest);
    },
  );

  it("stop by what hosts say after somebody put old rows back with SQL", { timeout }, async () => {
    await copyTables("public", "saved");
    const lost = await changeAfterBackup();
    await copyTables("saved", "public");
    await startController();
    await waitUntil(
      "a host was heard",
      async () => (await mesh("status", "--json")).output.includes(`"reason":"hosts-ahead"`),
      120_000,
    );
    await goOn(lost);
  });
});

/** All rows, as an old dump would bring them back. */
async function copyTables(from: string, to: string): Promise<void> {
  const { rows } = await served.db.query(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  );
  const names = rows.map((row) => z.object({ name: z.string() }).parse(row).name);
  await served.db.query(`create schema if not exists ${to}`);
  // One connection, one transaction: foreign keys are looked at by nobody meanwhile.
  await served.db.query(
    [
      "begin",
      "set local session_replication_role = replica",
      ...names.flatMap((name) => [
        `create table if not exists ${to}."${name}" (like public."${name}")`,
        `delete from ${to}."${name}"`,
        `insert into ${to}."${name}" select * from ${from}."${name}"`,
      ]),
      "commit",
    ].join("; "),
  );
}
