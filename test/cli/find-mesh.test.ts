import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findMesh } from "../../src/cli/find-mesh.ts";
import { InputError } from "../../src/core/errors.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mesh-find-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function makeMesh(...path: string[]): string {
  const state = join(folder, ...path);
  mkdirSync(state, { recursive: true });
  writeFileSync(join(state, "mesh.json"), "{}");
  return state;
}

const find = (cwd: string, state?: string, env: Record<string, string> = {}) => findMesh({ cwd, state, env });

describe("which mesh a command is about", () => {
  it("is the nearest .mesh upward", () => {
    const outer = makeMesh("clone", ".mesh");
    const inner = makeMesh("clone", "sub", ".mesh");
    mkdirSync(join(folder, "clone", "sub", "deep"));
    expect(find(join(folder, "clone", "sub", "deep"))).toBe(inner);
    expect(find(join(folder, "clone"))).toBe(outer);
  });

  it("passes by a .mesh folder that holds no mesh: a first start that was killed early", () => {
    const outer = makeMesh("clone", ".mesh");
    mkdirSync(join(folder, "clone", "sub", ".mesh"), { recursive: true });
    expect(find(join(folder, "clone", "sub"))).toBe(outer);
  });

  it("is MESH_STATE before .mesh, and --state before both", () => {
    makeMesh("clone", ".mesh");
    const other = makeMesh("other");
    const third = makeMesh("third");
    expect(find(join(folder, "clone"), undefined, { MESH_STATE: other })).toBe(other);
    expect(find(join(folder, "clone"), "../third", { MESH_STATE: other })).toBe(third);
    expect(find(join(folder, "clone"), undefined, { MESH_STATE: "" })).toBe(join(folder, "clone", ".mesh"));
  });

  it("of keys, is also one that was never started, where its root was made (R48)", () => {
    makeMesh("clone", ".mesh");
    const begun = join(folder, "clone", "sub", ".mesh");
    mkdirSync(join(begun, "keys"), { recursive: true });
    writeFileSync(join(begun, "keys", "root.dsse"), "");
    const isState = (state: string) => existsSync(join(state, "keys", "root.dsse"));
    expect(findMesh({ cwd: join(folder, "clone", "sub"), state: undefined, env: {}, isState })).toBe(begun);
    expect(find(join(folder, "clone", "sub"))).toBe(join(folder, "clone", ".mesh"));
  });

  it("is a clear error when there is none, and when the given one is none", () => {
    expect(() => find(folder)).toThrow(InputError);
    expect(() => find(folder)).toThrow(/no mesh found/);
    expect(() => find(folder, "nowhere")).toThrow(/there is no mesh in .*nowhere/);
  });
});
