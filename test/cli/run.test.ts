import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commandTable } from "../../src/cli/command-table.ts";
import { UnavailableError } from "../../src/core/errors.ts";
import { loadKeyFile } from "../../src/link/key-file.ts";
import { runMesh } from "./fake-context.ts";
import { hostileNames } from "./hostile-names.ts";

let state: string;
beforeAll(() => {
  state = mkdtempSync(join(tmpdir(), "mesh-run-"));
  writeFileSync(join(state, "mesh.json"), "{}");
});
afterAll(() => rmSync(state, { recursive: true }));

describe("usage (R48)", () => {
  it.each([
    ["no command", []],
    ["an unknown command", ["statsu"]],
    ["a group without its command", ["module"]],
    ["an unknown command of a group", ["module", "delete"]],
    ["an unknown option", ["status", "--frobnicate"]],
    ["a missing argument", ["why"]],
    ["too many arguments", ["why", "a", "b"]],
    ["a missing option value", ["module", "add", "web", "--repo"]],
    ["a missing required option", ["node", "add", "shop"]],
    ["an unknown shell", ["completion", "csh"]],
    ["nothing to push", ["push"]],
    ["names and --behind", ["push", "node-a", "--behind"]],
    ["--watch and --wait", ["status", "--watch", "--wait"]],
    ["a time-out that is none", ["push", "node-a", "--timeout", "soon"]],
  ])("%s ends with 2, says what to do next, and touches no mesh", async (_what, argv) => {
    const ran = await runMesh(argv, { env: { MESH_STATE: state } });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(/^mesh: .+\n {2}next: .+\n$/);
    expect(ran.stdout).toBe("");
    expect(ran.opened).toBe(false);
  });

  it.each([
    ["build --behind --again", "--again and --behind do not go together"],
    ["build --again --follow", "--again and --follow do not go together"],
    ["build --dry-run --wait", "--dry-run and --wait do not go together"],
    ["build --dry-run --again", "--dry-run and --again do not go together"],
    ["build --dry-run --follow", "--dry-run and --follow do not go together"],
    ["build --dry-run --timeout 600", "--dry-run and --timeout do not go together"],
    ["build --alone", "--alone is of --dry-run"],
    ["build --timeout 5", "--timeout is of --wait, --follow and --again"],
    ["status --watch --wait", "--watch and --wait do not go together"],
    ["status --timeout 5", "--timeout is of --wait"],
    ["push node-a --no-wait --timeout 60", "--no-wait and --timeout do not go together"],
    ["keys rotate declaration --passphrase-file f", "--passphrase-file is of root keys"],
    ["keys rotate provenance --keep 0123456789abcdef", "--keep is of root keys"],
    ["keys rotate declaration --root-keys 1", "--root-keys is of root keys"],
    ["keys rotate declaration --keys-out d", "--keys-out is of root keys"],
    ["keys rotate root --overlap-days 30", "--overlap-days is of declaration and provenance keys"],
    ["keys root sign root-2.draft --passphrase-file f", "--passphrase-file is of --key"],
    ["keys recovery r.dsse --passphrase-file f", "--passphrase-file is of --key"],
    ["database roles --sql --apply", "--sql and --apply do not go together"],
    ["graph --why a b --order", "--why and --order do not go together"],
    ["graph --why a b --dot", "--why and --dot do not go together"],
    ["graph --dependents --why a b", "--why and --dependents do not go together"],
    ["graph core --why a b", "--why names its two modules itself"],
    ["graph --order --dot", "--dot and --order do not go together"],
    ["graph --dot --json", "--dot and --json do not go together"],
  ])("an option that would be ignored is refused, and nothing is done: mesh %s", async (line, message) => {
    const ran = await runMesh(line.split(" "), { env: { MESH_STATE: state } });
    expect(ran).toMatchObject({ code: 2, opened: false });
    expect(ran.stderr).toContain(`mesh: ${message}`);
    expect(ran.stderr).toMatch(/\n {2}next: .+\n$/);
  });

  it.each([
    ["node list", ["--", "node", "list"]],
    ["node list", ["node", "--", "list"]],
    ["node list", ["node", "list", "--"]],
    ["status", ["--", "status", "web"]],
  ])("%s is run wherever the end of the options stands", async (words, argv) => {
    const openMesh = () => Promise.reject(new UnavailableError(`asked of ${words}`));
    const ran = await runMesh(argv, { env: { MESH_STATE: state }, openMesh });
    expect(ran).toMatchObject({ code: 3, stderr: `mesh: asked of ${words}\n` });
  });

  it.each([
    ["nothing", ["--"]],
    ["a group", ["--", "module"]],
    ["an option of old", ["--", "--version"]],
  ])("words behind the end of the options that name no command end with 2: %s", async (_what, argv) => {
    const ran = await runMesh(argv);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(/^mesh: .+\n {2}next: .+\n$/);
  });

  it.each(["push", "plan"])("behind the end of the options --json is a word: mesh %s (R48)", async (command) => {
    const ran = await runMesh([command, "node-a", "--", "--json"], { env: { MESH_STATE: state } });
    expect(ran).toMatchObject({ code: 2, stdout: "", opened: false });
    const asked = await runMesh([command, "node-a", "--json", "--", "--json"], { env: { MESH_STATE: state } });
    expect(JSON.parse(asked.stdout)).toMatchObject({ error: { kind: "input" } });
  });

  it("an unknown word is answered with the one that was meant", async () => {
    expect((await runMesh(["statsu"])).stderr).toContain("did you mean: mesh status?");
    expect((await runMesh(["build", "--folow"])).stderr).toContain("did you mean: mesh build --follow?");
  });

  it.each([
    ["in a group", ["records", "prun"], "'records prun' (did you mean: mesh records prune?)", "mesh records --help"],
    ["in a group of a group", ["keys", "root", "publis"], "mesh keys root publish?", "mesh keys root --help"],
    ["nothing is like it", ["module", "frobnicate"], "unknown command 'module frobnicate'\n", "mesh module --help"],
  ])("an unknown word %s is answered as it is typed", async (_where, argv, words, next) => {
    const { stderr } = await runMesh(argv);
    expect(stderr).toContain(words);
    expect(stderr).toContain(`  next: see how it is used: ${next}\n`);
  });

  it("a file that is not there is refused: 2, there is nothing to wait for", async () => {
    const ran = await runMesh(["keys", "root", "publish", "/nope/root.dsse"], { env: { MESH_STATE: state } });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain("mesh: there is no file /nope/root.dsse\n  next: is the path right?\n");
    await expect(loadKeyFile("/nope/root.pem", null)).rejects.toMatchObject({
      name: "InputError",
      message: "there is no file /nope/root.pem",
    });
  });

  it("no mesh found ends with 2 and says where to go", async () => {
    const ran = await runMesh(["status"]);
    expect(ran).toMatchObject({ code: 2, opened: false });
    expect(ran.stderr).toContain("--state DIR");
  });

  it("a mesh that does not answer ends with 3, never with 0 or 1", async () => {
    const openMesh = () => Promise.reject(new UnavailableError("PostgreSQL did not answer", "start it"));
    const ran = await runMesh(["status", "--json"], { env: { MESH_STATE: state }, openMesh });
    expect(ran.code).toBe(3);
    expect(JSON.parse(ran.stdout)).toEqual({
      schema: "mesh.status.v1",
      error: { kind: "unavailable", message: "PostgreSQL did not answer", next: "start it" },
    });
    expect(ran.stderr).toBe("mesh: PostgreSQL did not answer\n  next: start it\n");
  });

  it("our own bug ends with 2 and says that it is one", async () => {
    const openMesh = () => Promise.reject(new TypeError("x is not a function"));
    const ran = await runMesh(["status"], { env: { MESH_STATE: state }, openMesh });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain("this is a bug in mesh");
  });

  it.each([
    ["that was asked for is *cannot tell*", true, 3, "it was interrupted before it was done"],
    ["that nobody asked for is our own bug", false, 2, "this is a bug in mesh"],
  ])("a work given up %s", async (_what, isAsked, code, words) => {
    const interrupt = new AbortController();
    if (isAsked) interrupt.abort();
    const openMesh = () => Promise.reject(new DOMException("This operation was aborted", "AbortError"));
    const ran = await runMesh(["status"], { env: { MESH_STATE: state }, openMesh, interrupt: interrupt.signal });
    expect(ran.code).toBe(code);
    expect(ran.stderr).toContain(words);
  });

  it("an error's text cannot write over the terminal (case 52)", async () => {
    const openMesh = () => Promise.reject(new UnavailableError("\u001b[2Jgone\nmesh: all is well"));
    const ran = await runMesh(["status"], { env: { MESH_STATE: state }, openMesh });
    expect(ran.stderr).toBe("mesh: ·[2Jgone mesh: all is well\n");
  });

  it("--version prints the version", async () => {
    expect(await runMesh(["--version"])).toMatchObject({ code: 0, stdout: "1.2.3\n" });
  });
});

describe("help", () => {
  it("lists every command once", async () => {
    const { stdout, code } = await runMesh(["--help"]);
    expect(code).toBe(0);
    for (const entry of commandTable) expect(stdout).toContain(`\n  ${entry.words.split(" ")[0]} `);
  });

  it.each(commandTable.map((entry) => entry.words))("of %s says what it does and how it is called", async (words) => {
    for (const argv of [[...words.split(" "), "--help"]]) {
      const { stdout, code } = await runMesh(argv);
      expect(code).toBe(0);
      expect(stdout).toContain(`Usage: mesh ${words}`);
      expect(stdout).toContain("--json");
      expect(stdout).toContain("--state <dir>");
    }
  });

  it("of a group lists its commands", async () => {
    const { stdout, code } = await runMesh(["module", "--help"]);
    expect(code).toBe(0);
    for (const word of ["add", "list", "show"]) expect(stdout).toContain(`\n  ${word} `);
  });
});

/** Every place where a name is typed. */
const nameEdges: readonly (readonly [string, (name: string) => string[]])[] = [
  ["status SUBJECT", (name) => ["status", "--", name]],
  ["why SUBJECT", (name) => ["why", "--", name]],
  ["plan NODE", (name) => ["plan", "--", name]],
  ["push NODE", (name) => ["push", "--", name]],
  ["declare NODE", (name) => ["declare", "--", name]],
  ["build MODULE", (name) => ["build", "--", name]],
  ["assign NODE", (name) => ["assign", "--", name, "web"]],
  ["assign MODULE", (name) => ["assign", "--", "node-a", name]],
  ["assign --provider", (name) => ["assign", "node-a", "web", "--provider", `db=${name}@node-b`]],
  ["assign --set KEY", (name) => ["assign", "node-a", "web", "--set", `${name}-=1`]],
  ["unassign NODE", (name) => ["unassign", "--", name, "web"]],
  ["unassign MODULE", (name) => ["unassign", "--", "node-a", name]],
  ["module add NAME", (name) => ["module", "add", "--repo", "shop", "--", name]],
  ["module add --repo", (name) => ["module", "add", "web", `--repo=${name}`]],
  ["module show", (name) => ["module", "show", "--", name]],
  ["module remove", (name) => ["module", "remove", "--", name]],
  ["node remove", (name) => ["node", "remove", "--", name]],
  ["node add NAME", (name) => ["node", "add", "--address", "10.0.0.1", "--", name]],
  ["repo add NAME", (name) => ["repo", "add", "--", name, "/srv/x.git"]],
  ["repo remove", (name) => ["repo", "remove", "--", name]],
  ["host token NODE", (name) => ["host", "token", "--", name]],
  ["up --mesh", (name) => ["up", `--mesh=${name}`]],
];

describe("hostile names at every edge (case 52)", () => {
  const cases = nameEdges.flatMap(([edge, argv]) =>
    hostileNames.map(([what, name]) => [edge, what, argv(name)] as const),
  );
  it.each(cases)("%s: %s", async (_edge, _what, argv) => {
    const ran = await runMesh(argv, { env: { MESH_STATE: state } });
    expect(ran).toMatchObject({ code: 2, opened: false });
    // oxlint-disable-next-line no-control-regex -- they are what is looked for
    expect(ran.stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  });

  it.each([
    ["a branch that is an option", ["module", "add", "web", "--repo", "shop", "--branch=--upload-pack=x"]],
    ["a branch that is a shell word", ["module", "add", "web", "--repo", "shop", "--branch", "$(id)"]],
    ["a folder upward", ["module", "add", "web", "--repo", "shop", "--path", "../x"]],
    ["an absolute folder", ["module", "add", "web", "--repo", "shop", "--path", "/etc"]],
    ["an address with a path", ["node", "add", "shop", "--address", "host/../x"]],
    ["a repository that runs a program", ["repo", "add", "shop", "ext::sh -c id"]],
  ])("%s is refused", async (_what, argv) => {
    expect(await runMesh(argv, { env: { MESH_STATE: state } })).toMatchObject({ code: 2, opened: false });
  });
});
