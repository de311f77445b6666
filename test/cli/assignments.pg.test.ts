import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { MeshConnection } from "../../src/cli/mesh-connection.ts";
import type { RecordsIdentity } from "../../src/store/writers/database-role.ts";
import { addModules, addNodes, manifestOf, mesh, openRecords, type Records } from "../store/open-records.ts";
import { connectionTo } from "./command-bed.ts";
import { type Ran, runMesh } from "./fake-context.ts";

let state: string;
let records: Records;

beforeEach(async () => {
  state = mkdtempSync(join(tmpdir(), "mesh-assignments-"));
  writeFileSync(join(state, "mesh.json"), "{}");
  records = await openRecords();
  await addModules(records.db, "web");
  await addNodes(records.db, "node-a");
  return async () => {
    await records.close();
    rmSync(state, { recursive: true });
  };
});

function connect(_state?: string, as: RecordsIdentity = "viewer"): Promise<MeshConnection> {
  return Promise.resolve(connectionTo({ state, mesh, db: records.as(as) }));
}

const runIt = (...argv: string[]): Promise<Ran> => runMesh(argv, { env: { MESH_STATE: state }, openMesh: connect });

async function readManifest(): Promise<void> {
  const manifest = manifestOf("web", {
    service: {
      command: ["serve", "${config.greeting}"],
      env: { PORT: "${config.port}" },
      health: { http: "http://127.0.0.1:${config.port}/ready", withinSeconds: 20 },
    },
    config: { motd: "welcome" },
  });
  await records.db.query("update module set manifest = $1", [JSON.stringify(manifest)]);
}

describe("the configuration of an assignment", () => {
  it("is shown where a node is looked at, and given back as a command when it is forgotten", async () => {
    await runIt("assign", "node-a", "web", "--set", "port=80", "--set", "motd=good day");
    expect((await runIt("node", "list")).stdout).toMatch(/web \((port=80, motd=good day|motd=good day, port=80)\)/);
    expect((await runIt("why", "node-a")).stdout).toMatch(/is to run\n {2}web +.*port=80/);
    const { stdout } = await runIt("unassign", "node-a", "web");
    expect(stdout).toMatch(/as it was: mesh assign node-a web .*--set 'motd=good day'/);
    expect(stdout).toContain("--set port=80");
  });

  it("is not checked before the manifest was read, and that is said", async () => {
    const ran = await runIt("assign", "node-a", "web", "--set", "prot=80");
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stdout).toMatch(/web's manifest was not read yet: .* could not be checked/);
    expect((await runIt("assign", "node-a", "web")).stdout).not.toMatch(/checked/);
  });

  it.each([
    ["a key that the module does not read", "prot=80", /web does not read prot: it reads greeting, motd, port$/m],
    ["a port that is too high", "port=70000", /--set port=70000: web uses it as a port, which is 1 to 65535/],
    ["a port that is a word", "port=http", /--set port=http: web uses it as a port/],
  ])("%s is refused with what it reads, and nothing is kept (R48)", async (_what, word, says) => {
    await readManifest();
    const ran = await runIt("assign", "node-a", "web", "--set", "motd=hello", "--set", word);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(says);
    const { rows } = await records.db.query("select * from assignment");
    expect(rows).toEqual([]);
    expect(await runIt("assign", "node-a", "web", "--set", "port=8080", "--set", "greeting=0")).toMatchObject({
      code: 0,
    });
  });

  it("that lacks what the module needs is made, and says so: a node would not be worked out (R48)", async () => {
    await readManifest();
    const ran = await runIt("assign", "node-a", "web", "--set", "port=80");
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(
      /^mesh: warning: greeting has no value and no default: until then node-a cannot be worked/,
    );
    expect(ran.stdout).toMatch(/next: mesh assign node-a web .*--set greeting=VALUE/);
    const json = await runIt("assign", "node-a", "web", "--json");
    expect(JSON.parse(json.stdout)).toMatchObject({ missing: ["greeting", "port"] });
    const whole = await runIt("assign", "node-a", "web", "--set", "port=80", "--set", "greeting=hi");
    expect([whole.stderr, whole.stdout]).toEqual(["", expect.stringMatching(/next: mesh plan node-a/)]);
  });

  it("a key that is none is refused with the rule (R48)", async () => {
    const ran = await runIt("assign", "node-a", "web", "--set", "../x=1");
    expect(ran).toMatchObject({ code: 2, opened: false });
    expect(ran.stderr).toMatch(/^mesh: --set "\.\.\/x" is no configuration key: a key is letters and digits/);
  });
});

describe("a mesh whose PostgreSQL does not answer (R26)", () => {
  it("is not up: no SQL is said, and watching says it once", async () => {
    const gone = { ...(await connect()), db: records.open({ url: "postgresql://mesh@127.0.0.1:1/none" }) };
    const openMesh = (): Promise<MeshConnection> => Promise.resolve(gone);
    const ran = await runMesh(["status"], { env: { MESH_STATE: state }, openMesh });
    expect(ran).toMatchObject({ code: 3, stdout: "" });
    const said = `the mesh in ${state} is not up: its PostgreSQL does not answer (ECONNREFUSED)`;
    expect(ran.stderr).toBe(`mesh: ${said}\n  next: npm start (mesh up --state ${state})\n`);
    const interrupt = AbortSignal.timeout(2_500);
    const watched = await runMesh(["status", "--watch"], { env: { MESH_STATE: state }, openMesh, interrupt });
    expect(watched.stderr.split(said)).toHaveLength(2);
    expect(watched.stderr).not.toContain("select");
    expect(watched.code).toBe(3);
  });
});
