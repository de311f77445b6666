import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { findPostgresBinaries } from "../../src/embedded/postgres-binaries.ts";
import { chooseFreePort } from "../../src/embedded/ports.ts";
import { readRunAs } from "../../src/embedded/run-as.ts";
import type { GitRepository } from "../support/git-repository.ts";
import { openBedMesh, type BedMesh } from "./support/bed-mesh.ts";
import { createBedSource } from "./support/bed-source.ts";
import { listRows, pushDocumentSchema, pushNodes } from "./support/push-document.ts";
import { readProvision, type Credentials } from "./support/read-provisions.ts";
import { waitFor } from "./support/wait-for.ts";

/**
 * node-a                       node-b
 * meshboard ── database ────►  postgres (a server of its own)
 * board-two ── database ────►
 *
 * Only node-a is ever pushed.
 */
let mesh: BedMesh;
let source: GitRepository;
const ports = { postgres: 0, meshboard: 0, boardTwo: 0 };
let first: Credentials;

const asBoardTwo = (text: string): string =>
  text.replaceAll("@example/meshboard", "@example/board-two").replace("module: meshboard", "module: board-two");

beforeAll(async () => {
  for (const name of ["postgres", "meshboard", "boardTwo"] as const) ports[name] = await chooseFreePort();
  source = await createBedSource([
    { module: "core", from: "core" },
    { module: "postgres", from: "postgres" },
    { module: "meshboard", from: "meshboard" },
    { module: "board-two", from: "meshboard", edit: asBoardTwo },
  ]);
  mesh = await openBedMesh("postgresql");
  await mesh.addHost("node-a");
  await mesh.addHost("node-b");
  await mesh.ask("repo", "add", "source", source.dir);
  for (const module of ["core", "postgres", "meshboard", "board-two"])
    await mesh.ask("module", "add", module, "--repo", "source", "--path", module);
  await mesh.ask("build", "--wait");
  const binaries = await findPostgresBinaries({
    runAs: readRunAs(),
    copyFolder: join(mesh.folder, "bin"),
    major: null,
  });
  await mesh.ask("assign", "node-b", "postgres", "--set", `port=${ports.postgres}`, "--set", `binDir=${binaries.bin}`);
  await mesh.ask("declare", "node-b");
});

afterAll(async () => {
  await mesh?.close();
  await source?.remove();
});

async function readPage(port: number): Promise<string> {
  return waitFor(
    `the page on ${port}`,
    async () => {
      const response = await fetch(`http://127.0.0.1:${port}/`);
      return response.ok ? response.text() : null;
    },
    30_000,
  );
}

async function ask(credentials: Pick<Credentials, "user" | "password" | "name">, sql: string): Promise<unknown[]> {
  const client = new pg.Client({
    host: "127.0.0.1",
    port: ports.postgres,
    user: credentials.user,
    password: credentials.password,
    database: credentials.name,
    connectionTimeoutMillis: 5_000,
  });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

describe("a database on another node, when only the consumer's node is pushed", () => {
  it("is made in the same push, and the consumer's page answers from it (R18, case 16)", async () => {
    await mesh.ask("assign", "node-a", "meshboard", "--set", `port=${ports.meshboard}`);
    const push = await pushNodes(mesh, "node-a");
    expect(listRows(push)).toEqual(["node-a round 0 sent applied", "node-b round 1 sent applied"]);
    expect(push.nodes[1]?.why).toMatch(/database/);
    expect(await readPage(ports.meshboard)).toContain("<html");
    first = await readProvision(mesh.hostFolder("node-a"), "meshboard", "database");
    expect(await ask(first, "select current_user as user")).toEqual([{ user: first.user }]);
    await ask(first, "create table kept (text text); insert into kept values ('still here')");
  });

  it("is made for a second consumer, which cannot enter the first one's (case 16, R46)", async () => {
    await mesh.ask("assign", "node-a", "board-two", "--set", `port=${ports.boardTwo}`);
    const push = await pushNodes(mesh, "node-a");
    expect(listRows(push)).toEqual(["node-a round 0 sent applied", "node-b round 1 sent applied"]);
    const second = await readProvision(mesh.hostFolder("node-a"), "board-two", "database");
    expect(second.name).not.toBe(first.name);
    await expect(ask({ ...second, name: first.name }, "select 1")).rejects.toThrow(/permission denied/);
  });

  it("is withdrawn in the same push: credentials refused, the other's work, the data stays (R20, case 16)", async () => {
    await mesh.ask("unassign", "node-a", "meshboard");
    const push = await pushNodes(mesh, "node-a");
    expect(listRows(push)).toEqual(["node-a round 0 sent applied", "node-b round 1 sent applied"]);
    await expect(ask(first, "select 1")).rejects.toThrow(/not permitted to log in|authentication failed/);
    const second = await readProvision(mesh.hostFolder("node-a"), "board-two", "database");
    expect(await ask(second, "select 1 as one")).toEqual([{ one: 1 }]);
    const password = (
      await readFile(join(mesh.hostFolder("node-b"), "root", "data", "postgres", "admin-password"), "utf8")
    ).trim();
    expect(await ask({ user: "admin", password, name: first.name }, "select text from kept")).toEqual([
      { text: "still here" },
    ]);
  });

  it("is owed by a provider that is off, with its age, and paid once it is back (R20, case 23)", async () => {
    await waitFor("no debt of before", async () => ((await readOwed()).length === 0 ? true : null), 30_000);
    const second = await readProvision(mesh.hostFolder("node-a"), "board-two", "database");
    await mesh.endHost("node-b");
    await mesh.ask("unassign", "node-a", "board-two");
    // The consumer's own clean-up waits for nobody; the provider is told, and cannot confirm.
    const push = await mesh.run("push", "node-a", "--timeout", "4", "--json");
    expect(push.code, push.stderr).toBe(1);
    expect(listRows(pushDocumentSchema.parse(JSON.parse(push.stdout)))).toEqual([
      "node-a round 0 sent applied",
      "node-b round 1 sent outstanding",
    ]);
    const [debt, ...more] = await readOwed();
    expect(more).toEqual([]);
    expect(debt).toMatchObject({ node: "node-b", told: true, what: expect.stringContaining("of board-two on node-a") });
    expect(debt?.ageMs).toBeGreaterThan(0);
    expect((await mesh.run("status")).stdout).toMatch(/to node-b +since .*board-two.*was told and has not confirmed/);
    // Its server runs on without its host: nobody has revoked anything yet.
    expect(await ask(second, "select 1 as one")).toEqual([{ one: 1 }]);
    mesh.startHost("node-b");
    await waitFor("the debt to be paid", async () => ((await readOwed()).length === 0 ? true : null), 30_000);
    await expect(ask(second, "select 1")).rejects.toThrow(/not permitted to log in|authentication failed/);
  });
});

const statusSchema = z.object({
  owed: z.array(z.object({ node: z.string(), what: z.string(), ageMs: z.number(), told: z.boolean() })),
});

/** Any exit code: what is owed is pending. */
async function readOwed(): Promise<z.infer<typeof statusSchema>["owed"]> {
  const { stdout } = await mesh.run("status", "--json");
  return statusSchema.parse(JSON.parse(stdout)).owed;
}
