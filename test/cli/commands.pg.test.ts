import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { MeshConnection } from "../../src/cli/mesh-connection.ts";
import { meshPaths } from "../../src/cli/mesh-setup.ts";
import { createCertificateAuthority } from "../../src/link/certificate-authority.ts";
import { parseEnrolmentToken } from "../../src/link/enrolment-token.ts";
import { digestValue } from "../../src/decide/digest.ts";
import { trackFailures } from "../../src/decide/track-failures.ts";
import { keepAccount } from "../../src/store/accounts.ts";
import { replaceEdges } from "../../src/store/edges.ts";
import { withGate } from "../../src/store/gate.ts";
import {
  addModules,
  addNodes,
  declarationOf,
  grant,
  mesh,
  openRecords,
  type Records,
  reportOf,
  send,
  sendOne,
} from "../store/open-records.ts";
import { createGitRepository, type GitRepository } from "../support/git-repository.ts";
import { type Ran, runMesh } from "./fake-context.ts";

let state: string;
let records: Records;
let authority: string;
let shop: GitRepository;

beforeAll(async () => {
  shop = await createGitRepository();
  authority = (await createCertificateAuthority({ mesh, nowMs: Date.now() })).certPem;
  return () => shop.remove();
});
beforeEach(async () => {
  state = mkdtempSync(join(tmpdir(), "mesh-commands-"));
  writeFileSync(join(state, "mesh.json"), "{}");
  mkdirSync(join(state, "keys"));
  writeFileSync(meshPaths(state).authority, authority);
  records = await openRecords();
  return async () => {
    await records.close();
    rmSync(state, { recursive: true });
  };
});

function connect(): Promise<MeshConnection> {
  const settings = {
    listen: "127.0.0.1",
    pollIntervalMs: 3000,
    staleAfterMs: 86_400_000,
    silentAfterMs: 90_000,
    buildSlots: 2,
    unsafeWithoutSandbox: false,
    passwordPrefix: "",
    logLevel: "info",
  } as const;
  return Promise.resolve({
    mesh,
    state,
    paths: meshPaths(state),
    setup: {
      mesh,
      temporal: { address: "127.0.0.1:1", namespace: "default", ui: null },
      gateway: { host: "127.0.0.1", port: 7443 },
      settings,
    },
    db: records.db,
    close: () => Promise.resolve(),
  });
}

const runIt = (...argv: string[]): Promise<Ran> => runMesh(argv, { env: { MESH_STATE: state }, openMesh: connect });

/** The document of a command under --json, its schema checked. */
async function documentOf(...argv: string[]): Promise<Record<string, unknown>> {
  const ran = await runIt(...argv, "--json");
  expect(ran.stdout.split("\n")).toHaveLength(2);
  const document = JSON.parse(ran.stdout) as Record<string, unknown>;
  expect(document["schema"]).toMatch(/^mesh\.[a-z-]+\.v1$/);
  return document;
}

describe("an empty mesh", () => {
  it.each([
    ["status", "mesh node add"],
    ["node list", "mesh node add"],
    ["host list", "mesh node add"],
    ["module list", "mesh module add"],
    ["repo list", "mesh repo add"],
  ])("%s says how to begin", async (words, next) => {
    const ran = await runIt(...words.split(" "));
    expect(ran.stdout).toMatch(words === "status" ? /no nodes and no modules yet/ : new RegExp(next));
    expect(ran.code).toBe(0);
  });

  it("every command that reads prints one versioned document under --json", async () => {
    expect(await documentOf("status")).toMatchObject({ schema: "mesh.status.v1", nodes: [], modules: [], owed: [] });
    expect(await documentOf("node", "list")).toEqual({ schema: "mesh.node-list.v1", nodes: [] });
    expect(await documentOf("host", "list")).toEqual({ schema: "mesh.host-list.v1", hosts: [] });
    expect(await documentOf("module", "list")).toEqual({ schema: "mesh.module-list.v1", modules: [] });
    expect(await documentOf("repo", "list")).toEqual({ schema: "mesh.repo-list.v1", repositories: [] });
  });
});

describe("keeping the records", () => {
  it("from a repository to an assignment, nothing is sent", async () => {
    expect((await runIt("repo", "add", "shop", shop.dir)).code).toBe(0);
    const added = await runIt("module", "add", "web", "--repo", "shop", "--path", "web");
    expect(added.code).toBe(0);
    expect(added.stdout).toContain("the controller was not told");
    expect((await runIt("node", "add", "shop-1", "--address", "10.0.0.7")).code).toBe(0);
    expect(await documentOf("assign", "shop-1", "web", "--set", "port=80", "--set", "motd=a=b")).toEqual({
      schema: "mesh.assign.v1",
      assignment: { node: "shop-1", module: "web", config: { port: "80", motd: "a=b" }, providers: {} },
    });
    expect((await runIt("node", "list")).stdout).toMatch(/shop-1 +10\.0\.0\.7 +not enrolled +heard never +web/);
    expect((await runIt("module", "show", "web")).stdout).toContain("runs on");
    expect((await runIt("unassign", "shop-1", "web")).code).toBe(0);
    expect((await runIt("unassign", "shop-1", "web")).code).toBe(2);
  });

  it("a token is shown once, for the registered node, and the records keep only its hash (R46)", async () => {
    const document = await documentOf("node", "add", "shop-1", "--address", "10.0.0.7");
    const token = parseEnrolmentToken(String(document["token"]));
    expect(token).toMatchObject({ mesh, node: "shop-1", url: "https://127.0.0.1:7443" });
    const { rows } = await records.db.query("select t::text as row from enrolment_token t");
    expect(JSON.stringify(rows)).not.toContain(token.secret);
    const again = await runIt("host", "token", "shop-1");
    expect(parseEnrolmentToken(again.stdout.trim()).secret).not.toBe(token.secret);
  });

  it.each([
    ["a module of an unknown repository", ["module", "add", "web", "--repo", "shop"], /there is no repository shop/],
    ["an unknown node", ["assign", "shop-1", "web"], /there is no node shop-1/],
    ["a token for an unknown node", ["host", "token", "shop-1"], /there is no node shop-1/],
    ["a push of an unknown node", ["push", "shop-1"], /there is no node shop-1/],
    ["a plan of unknown nodes", ["plan", "shop-1", "shop-2"], /there is no node shop-1, shop-2/],
    ["a status of nothing", ["status", "shop-1"], /there is no node or module shop-1/],
    ["why nothing", ["why", "shop-1"], /there is no node or module shop-1/],
    ["a build of an unknown module", ["build", "web"], /there is no module web/],
    ["an unknown module", ["module", "show", "web"], /there is no module web/],
    ["a removal of an unknown module", ["module", "remove", "web"], /there is no module web/],
    ["a removal of an unknown repository", ["repo", "remove", "shop"], /there is no repository shop/],
  ])("%s ends with 2 and its name", async (_what, argv, message) => {
    const ran = await runIt(...argv);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(message);
    expect(ran.stderr).toContain("next: ");
  });

  it("the same name for another repository or address is refused", async () => {
    await runIt("repo", "add", "shop", shop.dir);
    expect((await runIt("repo", "add", "shop", shop.dir)).code).toBe(0);
    const other = await runIt("repo", "add", "shop", `file://${shop.dir}`);
    expect(other.code).toBe(2);
    expect(other.stderr).toContain("registered with another URL");
    await runIt("node", "add", "shop-1", "--address", "10.0.0.7");
    expect((await runIt("node", "add", "shop-1", "--address", "10.0.0.8")).code).toBe(2);
  });
});

describe("a repository that cannot be looked at", () => {
  it.each(["/etc", "file:///etc", "/nowhere/at/all"])("%s is refused: it is a folder here", async (url) => {
    const ran = await runIt("repo", "add", "bad", url);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(/nothing was registered: repository file:\/\/.* did not answer: [^]*next: /);
    expect(await documentOf("repo", "list")).toMatchObject({ repositories: [] });
  });

  it("is registered with a warning where it is remote: it may come later", async () => {
    const url = "https://127.0.0.1:1/shop.git";
    const ran = await runIt("repo", "add", "shop", url);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(/^mesh: warning: repository https:\/\/127\.0\.0\.1:1\/shop\.git did not answer: .+\n$/);
    expect(await documentOf("repo", "list")).toMatchObject({ repositories: [{ name: "shop", url }] });
  });
});

describe("taking a wrong registration back", () => {
  beforeEach(async () => {
    await addModules(records.db, "core", "web");
    await addNodes(records.db, "shop-1");
  });

  it("first the module, then its repository", async () => {
    const refused = await runIt("repo", "remove", "examples");
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toMatch(
      /examples stays: core, web follow it\n {2}next: mesh module remove core, then mesh module remove web/,
    );
    const removed = await runIt("module", "remove", "web");
    expect(removed.stdout).toMatch(/web is no module of this mesh any more.*\n.*the controller was not told/);
    expect(removed.code).toBe(0);
    expect(await documentOf("module", "remove", "core")).toMatchObject({
      schema: "mesh.module-remove.v1",
      removed: { module: "core" },
      importedBy: [],
    });
    expect(await documentOf("repo", "remove", "examples")).toEqual({
      schema: "mesh.repo-remove.v1",
      removed: { repository: "examples" },
    });
    expect((await runIt("repo", "list")).stdout).toContain("mesh repo add");
  });

  it("not while the module is assigned or was last sent: it says where, and what to do", async () => {
    await runIt("assign", "shop-1", "web");
    const epoch = await grant(records.db);
    await sendOne(records.db, epoch, "shop-1", { builds: { web: digestValue("web") } });
    const assigned = await runIt("module", "remove", "web");
    expect(assigned.code).toBe(2);
    expect(assigned.stderr).toMatch(/web stays: it is assigned to shop-1; the last declaration to shop-1 has it/);
    expect(assigned.stderr).toContain("next: mesh unassign shop-1 web, then mesh push shop-1");
    await runIt("unassign", "shop-1", "web");
    const carried = await runIt("module", "remove", "web");
    expect(carried.code).toBe(2);
    expect(carried.stderr).toContain("next: mesh push shop-1");
    await sendOne(records.db, epoch, "shop-1");
    expect((await runIt("module", "remove", "web")).code).toBe(0);
  });

  it("says which modules will be broken without it", async () => {
    await replaceEdges(records.db, mesh, "web", [{ dependency: "core", kind: "build", file: "a.ts", line: 1 }]);
    const ran = await runIt("module", "remove", "core");
    expect(ran.stdout).toMatch(/web imported it, and will be broken.*\n[^]*next: mesh why web/);
  });

  it("completion offers the names", async () => {
    const context = { env: { MESH_STATE: state }, openMesh: connect };
    expect((await runMesh(["complete", "--", "module", "remove", ""], context)).stdout).toMatch(/core[^]*web/);
    expect((await runMesh(["complete", "--", "repo", "remove", ""], context)).stdout).toMatch(/^examples/);
  });
});

describe("without a controller (R48)", () => {
  it.each([
    ["push", ["push", "node-a"]],
    ["push --behind", ["push", "--behind"]],
    ["declare", ["declare", "node-a"]],
    ["build", ["build"]],
  ])("%s ends with 3 at once and says how to start one", async (_what, argv) => {
    await addNodes(records.db, "node-a");
    const ran = await runIt(...argv);
    expect(ran.code).toBe(3);
    expect(ran.stderr).toMatch(/no controller has ever run.*\n {2}next: start it: npm start/);
  });

  it("a lease that was not renewed for its age is no controller", async () => {
    await addNodes(records.db, "node-a");
    await grant(records.db);
    await records.db.query("update lease set renewed_at = now() - interval '40 seconds'");
    expect((await runIt("push", "node-a")).stderr).toMatch(/has not renewed its lease for 4\d s/);
  });

  it("a controller that runs, and Temporal that does not answer: 3", async () => {
    await addNodes(records.db, "node-a");
    await grant(records.db);
    const ran = await runIt("push", "node-a");
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain("Temporal at 127.0.0.1:1 does not answer");
  });

  it("status and plan still answer from the records", async () => {
    await addNodes(records.db, "node-a");
    expect((await runIt("status")).stdout).toContain("no controller acts");
    expect((await runIt("plan", "node-a")).code).not.toBe(3);
  });
});

describe("status and its codes", () => {
  it("a node that was never told is pending, and --wait says so when its time is over", async () => {
    await addNodes(records.db, "node-a");
    const ran = await runIt("status", "--wait", "--timeout", "1");
    expect(ran.stdout).toMatch(/node-a +(never told|not worked out)/);
    expect(ran.code).not.toBe(0);
  });

  it("a told node whose host was never heard is not settled (R48)", async () => {
    await addNodes(records.db, "node-a");
    await sendOne(records.db, await grant(records.db), "node-a");
    expect((await runIt("status")).code).not.toBe(0);
  });

  it("a told node without modules is current when it reported so: there is no source to look at", async () => {
    await addNodes(records.db, "node-a");
    await records.db.query("update node set incarnation = 'aaaa', last_contact_at = now() where name = 'node-a'");
    const epoch = await grant(records.db);
    const digest = digestValue({ node: "node-a", builds: {}, resources: [] });
    const has = { epoch, number: 1 };
    await withGate(records.db, { mesh, epoch, count: 1 }, (tx) =>
      send(tx, { ...declarationOf("node-a", has), digest }),
    );
    const report = { ...reportOf("node-a", { has, digest }), outcome: "applied" } as const;
    await keepAccount(records.db, mesh, report, ({ receivedAt }) => ({
      kind: "kept",
      track: trackFailures(null, report, receivedAt),
    }));
    const ran = await runIt("status");
    expect(ran.stdout).toMatch(/node-a +current/);
    expect(ran.code).toBe(0);
  });

  it("--watch --json prints a document for each change, and ends when asked", async () => {
    await addNodes(records.db, "node-a");
    const end = new AbortController();
    let seen = "";
    const watching = runMesh(["status", "--watch", "--json"], {
      env: { MESH_STATE: state },
      openMesh: connect,
      interrupt: end.signal,
      onOutput: (stdout) => {
        seen = stdout;
        if (stdout.includes("node-b")) end.abort();
      },
    });
    await expect.poll(() => seen, { timeout: 10_000 }).toContain("node-a");
    await addNodes(records.db, "node-b");
    const lines = (await watching).stdout.trim().split("\n");
    const last = JSON.parse(lines.at(-1) ?? "") as { schema: string; nodes: unknown[] };
    expect(last.schema).toBe("mesh.status.v1");
    expect(last.nodes).toHaveLength(2);
  });

  it("a store that went away is said, and never an empty mesh (R26)", async () => {
    const gone = { ...(await connect()), db: records.open({ url: "postgresql://mesh@127.0.0.1:1/none" }) };
    const ran = await runMesh(["status"], { env: { MESH_STATE: state }, openMesh: () => Promise.resolve(gone) });
    expect(ran).toMatchObject({ code: 3, stdout: "" });
  });
});
