import { createHash } from "node:crypto";
import type { Artifact } from "../../src/core/artifact.ts";
import type { Declaration } from "../../src/core/declaration.ts";
import { manifestSchema, type Manifest } from "../../src/core/manifest.ts";
import type { Provision } from "../../src/core/provision.ts";
import type { Report } from "../../src/core/report.ts";
import { openDatabase, type Database, type DatabaseOptions, type Transaction } from "../../src/store/database.ts";
import { insertDeclarations } from "../../src/store/declarations.ts";
import { withGate } from "../../src/store/gate.ts";
import { readLease, takeLease } from "../../src/store/lease.ts";
import { ensureMesh } from "../../src/store/meshes.ts";
import { runMigrations } from "../../src/store/migrate.ts";
import { addModule } from "../../src/store/modules.ts";
import { addNode } from "../../src/store/nodes.ts";
import { addRepository } from "../../src/store/repositories.ts";
import type { RecordsIdentity } from "../../src/store/writers/database-role.ts";
import { createFreshDatabase } from "../support/fresh-database.ts";

export const mesh = "home";

export interface Records {
  readonly url: string;
  readonly db: Database;
  /** Another pool to the same database; closed with the rest. */
  open(options?: Partial<DatabaseOptions>): Database;
  /** With the rights of one identity (R41); closed with the rest. */
  as(identity: RecordsIdentity): Database;
  /** One connection that `cutAll` spares: for looking, when the others may be dead and not know it yet. */
  readonly watcher: Database;
  /** Ends every other connection to this database, as a restart of the server would. */
  cutAll(): Promise<void>;
  close(): Promise<void>;
}

/** A migrated database of this test file's own, with the mesh `home` in it. */
export async function openRecords(): Promise<Records> {
  const fresh = await createFreshDatabase();
  const pools: Database[] = [];
  const byRole = new Map<RecordsIdentity, Database>();
  const open = (options: Partial<DatabaseOptions> = {}): Database => {
    const db = openDatabase({
      url: fresh.url,
      maxConnections: 12,
      applicationName: "mesh test",
      statementTimeoutMs: 20_000,
      ...options,
    });
    pools.push(db);
    return db;
  };
  const db = open();
  const watcher = open({ maxConnections: 1, applicationName: "mesh watcher" });
  await runMigrations(db);
  await ensureMesh(db, mesh);
  return {
    url: fresh.url,
    db,
    watcher,
    open,
    as(identity) {
      if (identity === "owner") return db;
      const known = byRole.get(identity) ?? open({ role: identity, maxConnections: 4 });
      byRole.set(identity, known);
      return known;
    },
    cutAll: async () => {
      await watcher.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      );
    },
    close: async () => {
      await Promise.all(pools.map((pool) => pool.end()));
      await fresh.drop();
    },
  };
}

export function digestOf(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

export function treeOf(text: string): string {
  return createHash("sha1").update(text).digest("hex");
}

export function manifestOf(module: string, more: Partial<Manifest> = {}): Manifest {
  return manifestSchema.parse({ module, language: "files", ...more });
}

export function artifactOf(module: string, text: string): Artifact {
  return { module, digest: digestOf(text), blob: digestOf(`blob ${text}`), blobBytes: 10, files: 1 };
}

/** Takes the lease whatever it says now: for tests about something else. */
export async function grant(db: Database, holder = "controller-1"): Promise<number> {
  const taken = await takeLease(db, { mesh, holder, ageMs: 15_000, seen: await readLease(db, mesh) });
  if (taken === null) throw new Error("the lease moved under the test");
  return taken.epoch;
}

export async function addNodes(db: Database, ...names: string[]): Promise<void> {
  for (const name of names) await addNode(db, mesh, { name, address: "127.0.0.1" });
}

export async function addModules(db: Database, ...names: string[]): Promise<void> {
  await addRepository(db, mesh, { name: "examples", url: "file:///examples.git" });
  for (const name of names) await addModule(db, mesh, { name, repository: "examples", branch: "main", path: name });
}

export function declarationOf(
  node: string,
  order: { epoch: number; number: number },
  content: Partial<Declaration["content"]> = {},
): Declaration {
  return {
    schema: 1,
    mesh,
    node,
    incarnation: "aaaa",
    ...order,
    issuedAt: "2026-01-01T00:00:00.000Z",
    staleAfter: "2026-01-02T00:00:00.000Z",
    digest: digestOf(`${node} ${JSON.stringify(content)}`),
    content: { node, builds: {}, resources: [], ...content },
    sealed: [],
  };
}

export function send(tx: Transaction, declaration: Declaration, push = "p1"): Promise<void> {
  const envelope = Buffer.from(`envelope of ${declaration.epoch}.${declaration.number}`);
  return insertDeclarations(tx, [{ declaration, envelope, offers: [], push, round: 0, why: "a test" }]);
}

/** One declaration through the gate. Answers its order. */
export async function sendOne(
  db: Database,
  epoch: number,
  node: string,
  content: Partial<Declaration["content"]> = {},
): Promise<{ epoch: number; number: number }> {
  return withGate(db, { mesh, epoch, count: 1 }, async (tx, [number = 0]) => {
    await send(tx, declarationOf(node, { epoch, number }, content));
    return { epoch, number };
  });
}

export function provisionOf(consumer: string, version = 1): Provision {
  return {
    id: `${consumer}.meshboard.database@node-b.postgresql.bbbb`,
    version,
    kind: "postgresql",
    consumer: { node: consumer, module: "meshboard", requirement: "database" },
    provider: { node: "node-b", module: "postgresql", incarnation: "bbbb" },
    name: `db_${consumer.replaceAll("-", "_")}`,
    state: "issued",
  };
}

export function reportOf(
  node: string,
  place: Partial<Pick<Report, "has" | "boot" | "sequence" | "digest">> = {},
): Report {
  return {
    schema: 1,
    mesh,
    node,
    incarnation: "aaaa",
    has: null,
    digest: null,
    boot: 1,
    bootId: "boot-1",
    sequence: 1,
    at: "2026-01-01T00:00:00.000Z",
    lastWordAt: null,
    outcome: "none",
    resources: [],
    refusals: [],
    ...place,
  };
}

/** Until `probe` answers something. A state is waited for, never a time. */
export async function until<T>(probe: () => Promise<T | null | false>, withinMs = 10_000): Promise<T> {
  const end = Date.now() + withinMs;
  for (;;) {
    const found = await probe();
    if (found !== null && found !== false) return found;
    if (Date.now() > end) throw new Error(`not seen within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Until some other connection to this database waits for a lock. */
export async function untilWaiting(db: Database, count = 1): Promise<void> {
  await until(async () => {
    const { rows } = await db.query(
      `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length >= count;
  });
}

/** Holds a test at one point until another part of it lets go. */
export function latch(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
