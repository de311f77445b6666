import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { digestValue } from "../../src/decide/digest.ts";
import { parseEnrolmentToken } from "../../src/link/enrolment-token.ts";
import { replaceEdges } from "../../src/store/edges.ts";
import { addModules, addNodes, grant, mesh, sendOne } from "../store/open-records.ts";
import { createGitRepository, type GitRepository } from "../support/git-repository.ts";
import { type CommandBed, openCommandBed } from "./command-bed.ts";
import { runMesh } from "./fake-context.ts";

let shop: GitRepository;

beforeAll(async () => {
  shop = await createGitRepository();
  return () => shop.remove();
});

let bed: CommandBed;

beforeEach(async () => {
  bed = await openCommandBed();
  return () => bed.close();
});

describe("keeping the records", () => {
  it("from a repository to an assignment, nothing is sent", async () => {
    expect((await bed.run("repo", "add", "shop", shop.dir)).code).toBe(0);
    const added = await bed.run("module", "add", "web", "--repo", "shop", "--path", "web");
    expect(added.code).toBe(0);
    expect(added.stdout).toContain("the controller was not told");
    expect((await bed.run("node", "add", "shop-1", "--address", "10.0.0.7")).code).toBe(0);
    expect(await bed.documentOf("assign", "shop-1", "web", "--set", "port=80", "--set", "motd=a=b")).toEqual({
      schema: "mesh.assign.v1",
      assignment: { node: "shop-1", module: "web", config: { port: "80", motd: "a=b" }, providers: {} },
      configChecked: false,
      missing: [],
    });
    expect((await bed.run("node", "list")).stdout).toMatch(/shop-1 +10\.0\.0\.7 +not enrolled +heard never +web/);
    expect((await bed.run("module", "show", "web")).stdout).toContain("runs on");
    expect((await bed.run("unassign", "shop-1", "web")).code).toBe(0);
    expect((await bed.run("unassign", "shop-1", "web")).code).toBe(2);
  });

  it("a token is shown once, for the registered node, and the records keep only its hash (R46)", async () => {
    const document = await bed.documentOf("node", "add", "shop-1", "--address", "10.0.0.7");
    const token = parseEnrolmentToken(String(document["token"]));
    expect(token).toMatchObject({ mesh, node: "shop-1", url: "https://127.0.0.1:7443" });
    const { rows } = await bed.records.db.query("select t::text as row from enrolment_token t");
    expect(JSON.stringify(rows)).not.toContain(token.secret);
    const again = await bed.run("host", "token", "shop-1");
    expect(parseEnrolmentToken(again.stdout.trim()).secret).not.toBe(token.secret);
  });

  it("a repository moves under its name, and a mistyped one is refused: nothing is registered in its place", async () => {
    await bed.run("repo", "add", "shop", "https://127.0.0.1:1/shop.git");
    const mistyped = await bed.run("repo", "add", "shpo", shop.dir, "--moved");
    expect(mistyped.code).toBe(2);
    expect(mistyped.stderr).toContain(
      "mesh: there is no repository shpo, so nothing was moved\n  next: mesh repo list\n",
    );
    const listed = async () => (await bed.documentOf("repo", "list"))["repositories"];
    expect(await listed()).toMatchObject([{ name: "shop", url: "https://127.0.0.1:1/shop.git" }]);
    expect((await bed.run("repo", "add", "shop", shop.dir, "--moved")).code).toBe(0);
    expect(await listed()).toMatchObject([{ name: "shop", url: shop.dir }]);
  });

  it("a repository that moved is told to the controller, and where nobody answers that is said (R7)", async () => {
    const added = await bed.documentOf("repo", "add", "shop", "https://127.0.0.1:1/shop.git");
    expect(added).toMatchObject({ moved: false, controller: null });
    const moved = await bed.run("repo", "add", "shop", shop.dir, "--moved");
    expect(moved.code).toBe(0);
    expect(moved.stdout).toMatch(
      /^shop is followed at its new address: .*\n.*the controller was not told .*\n {2}next: /,
    );
    const again = await bed.documentOf("repo", "add", "shop", shop.dir, "--moved");
    expect(again).toMatchObject({ moved: true, controller: { asked: false, why: expect.stringMatching(/./) } });
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
    ["a removal of an unknown node", ["node", "remove", "shop-1"], /there is no node shop-1/],
    ["a removal of an unknown repository", ["repo", "remove", "shop"], /there is no repository shop/],
  ])("%s ends with 2 and its name", async (_what, argv, message) => {
    const ran = await bed.run(...argv);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(message);
    expect(ran.stderr).toContain("next: ");
  });

  it("the same name for another repository or address is refused", async () => {
    await bed.run("repo", "add", "shop", shop.dir);
    expect((await bed.run("repo", "add", "shop", shop.dir)).code).toBe(0);
    const other = await bed.run("repo", "add", "shop", `file://${shop.dir}`);
    expect(other.code).toBe(2);
    expect(other.stderr).toContain("registered with another URL");
    await bed.run("node", "add", "shop-1", "--address", "10.0.0.7");
    const moved = await bed.run("node", "add", "shop-1", "--address", "10.0.0.8");
    expect(moved.code).toBe(2);
    expect(moved.stderr).toMatch(
      /shop-1 is registered at 10\.0\.0\.7 already; nothing was changed\n {2}next: .* --moved/,
    );
  });

  it("a node that is there already is said to be, and one that moved what it was (R48)", async () => {
    const add = ["node", "add", "shop-1", "--address"];
    expect(await bed.documentOf(...add, "10.0.0.7")).toMatchObject({ added: true, addressBefore: null });
    expect(await bed.documentOf(...add, "10.0.0.7")).toMatchObject({ added: false, addressBefore: "10.0.0.7" });
    expect((await bed.run(...add, "10.0.0.7")).stdout).toMatch(
      /^shop-1 was registered at 10\.0\.0\.7 already: nothing changed; no host is enrolled as it\ntoken/,
    );
    const moved = await bed.run(...add, "10.0.0.8", "--moved");
    expect(moved.stdout).toMatch(
      /^shop-1 was at 10\.0\.0\.7, and is at 10\.0\.0\.8 now; .*\n {2}next: mesh push --behind\n$/,
    );
    expect((await bed.run("node", "list")).stdout).toMatch(/shop-1 +10\.0\.0\.8/);
    const unknown = await bed.run("node", "add", "shpo-1", "--address", "10.0.0.8", "--moved");
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("no node shpo-1, so nothing was moved") });
    expect((await bed.run("node", "list")).stdout).not.toContain("shpo-1");
  });
});

describe("a repository that cannot be looked at", () => {
  it.each(["/etc", "file:///etc", "/nowhere/at/all"])("%s is refused: it is a folder here", async (url) => {
    const ran = await bed.run("repo", "add", "bad", url);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(/nothing was registered: repository file:\/\/.* did not answer: [^]*next: /);
    expect(await bed.documentOf("repo", "list")).toMatchObject({ repositories: [] });
  });

  it("is registered with a warning where it is remote: it may come later", async () => {
    const url = "https://127.0.0.1:1/shop.git";
    const ran = await bed.run("repo", "add", "shop", url);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(/^mesh: warning: repository https:\/\/127\.0\.0\.1:1\/shop\.git did not answer: .+\n$/);
    expect(await bed.documentOf("repo", "list")).toMatchObject({ repositories: [{ name: "shop", url }] });
    expect((await bed.run("repo", "add", "twice", url)).stderr).toContain("shop has this address too");
  });
});

describe("taking a wrong registration back", () => {
  beforeEach(async () => {
    await addModules(bed.records.db, "core", "web");
    await addNodes(bed.records.db, "shop-1");
  });

  it("first the module, then its repository", async () => {
    const refused = await bed.run("repo", "remove", "examples");
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toMatch(
      /examples stays: core, web follow it\n {2}next: mesh module remove core, then mesh module remove web/,
    );
    const removed = await bed.run("module", "remove", "web");
    expect(removed.stdout).toMatch(/web is no module of this mesh any more.*\n.*the controller was not told/);
    expect(removed.code).toBe(0);
    expect(await bed.documentOf("module", "remove", "core")).toMatchObject({
      schema: "mesh.module-remove.v1",
      removed: { module: "core" },
      importedBy: [],
      imports: [],
    });
    expect(await bed.documentOf("repo", "remove", "examples")).toEqual({
      schema: "mesh.repo-remove.v1",
      removed: { repository: "examples" },
    });
    expect((await bed.run("repo", "list")).stdout).toContain("mesh repo add");
  });

  it("not while the module is assigned or was last sent: it says where, and what to do", async () => {
    await bed.run("assign", "shop-1", "web");
    const epoch = await grant(bed.records.db);
    await sendOne(bed.records.db, epoch, "shop-1", { builds: { web: digestValue("web") } });
    const assigned = await bed.run("module", "remove", "web");
    expect(assigned.code).toBe(2);
    expect(assigned.stderr).toMatch(/web stays: it is assigned to shop-1; the last declaration to shop-1 has it/);
    expect(assigned.stderr).toContain("next: mesh unassign shop-1 web, then mesh push shop-1");
    await bed.run("unassign", "shop-1", "web");
    const carried = await bed.run("module", "remove", "web");
    expect(carried.code).toBe(2);
    expect(carried.stderr).toContain("next: mesh push shop-1");
    await sendOne(bed.records.db, epoch, "shop-1");
    expect((await bed.run("module", "remove", "web")).code).toBe(0);
  });

  it("not while others import it, unless that is meant: it says who, at which line (R48)", async () => {
    await replaceEdges(bed.records.db, mesh, [
      { module: "web", edges: [{ dependency: "core", kind: "build", file: "a.ts", line: 1 }] },
    ]);
    const refused = await bed.run("module", "remove", "core");
    expect(refused.code).toBe(2);
    expect(refused.stdout).toMatch(/^core stays: another module imports it.*\n *web +build +a\.ts:1\n/);
    expect(refused.stdout).toContain("next: take those imports out, or mesh module remove core --yes");
    const json = await bed.run("module", "remove", "core", "--json");
    expect([json.code, JSON.parse(json.stdout)]).toMatchObject([
      2,
      { removed: null, importedBy: ["web"], imports: [{ module: "web", kind: "build", file: "a.ts", line: 1 }] },
    ]);
    await bed.run("assign", "shop-1", "core");
    const assigned = await bed.run("module", "remove", "core", "--yes");
    expect(assigned.code).toBe(2);
    expect(assigned.stderr).toMatch(/core stays: it is assigned to shop-1; it is imported by web at a\.ts:1/);
    await bed.run("unassign", "shop-1", "core");
    const ran = await bed.run("module", "remove", "core", "--yes");
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/web imported it, and will be broken.*\n[^]*next: mesh why web/);
  });

  it("completion offers the names", async () => {
    const context = { env: { MESH_STATE: bed.state }, openMesh: bed.connect };
    expect((await runMesh(["complete", "--", "module", "remove", ""], context)).stdout).toMatch(/core[^]*web/);
    expect((await runMesh(["complete", "--", "repo", "remove", ""], context)).stdout).toMatch(/^examples/);
  });
});
