import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { leavesStateOut, readTypedState } from "../../src/cli/text/typed-state.ts";
import { UnavailableError } from "../../src/core/errors.ts";
import { runMesh } from "./fake-context.ts";

let state: string;
beforeAll(() => {
  state = mkdtempSync(join(tmpdir(), "mesh of two words-"));
  writeFileSync(join(state, "mesh.json"), "{}");
});
afterAll(() => rmSync(state, { recursive: true }));

const ask = (next: string, argv: readonly string[]) =>
  runMesh(argv, { openMesh: () => Promise.reject(new UnavailableError("no answer", next)) });

describe("a step is told of the mesh that was typed (R48)", () => {
  it.each([
    ["behind the command", (folder: string) => ["status", "--state", folder]],
    ["before it, as one word", (folder: string) => [`--state=${folder}`, "status"]],
  ])("where --state stands %s", async (_where, argv) => {
    const ran = await ask("see what each host has: mesh recover", [...argv(state), "--json"]);
    const next = `see what each host has: mesh recover (with --state '${state}', as typed)`;
    expect(ran.stderr).toContain(`  next: ${next}\n`);
    expect(JSON.parse(ran.stdout)).toMatchObject({ error: { next } });
  });

  it("and not where it says so itself, names no command, or is a command's own help", async () => {
    for (const next of ["mesh up --state elsewhere", "start PostgreSQL", "see mesh status --help"])
      expect((await ask(next, ["status", "--state", state])).stderr).toContain(`  next: ${next}\n`);
  });

  it("and not where nobody typed one", async () => {
    const openMesh = () => Promise.reject(new UnavailableError("no answer", "mesh recover"));
    const ran = await runMesh(["status"], { env: { MESH_STATE: state }, openMesh });
    expect(ran.stderr).toContain("  next: mesh recover\n");
  });
});

describe("the words that were typed", () => {
  it.each([
    [["status", "--state", "a", "--state=b"], "b"],
    [["push", "--", "--state", "a"], null],
    [["status", "--state"], null],
    [["status"], null],
  ])("%j have the state %j", (argv, typed) => {
    expect(readTypedState(argv)).toBe(typed);
  });

  it.each([
    ["all is well\n  next: mesh push shop   then   mesh status", true],
    ["a build said: mesh status is broken", false],
    ["  next: look at the mesh there", false],
  ])("of an answer: %j", (text, leavesOut) => {
    expect(leavesStateOut(text)).toBe(leavesOut);
  });
});
