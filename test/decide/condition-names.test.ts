import { describe, expect, it } from "vitest";
import { conditionKinds } from "../../src/core/condition-codes.ts";
import { listSubjectNames } from "../../src/decide/condition-names.ts";

describe("a condition is about the nodes and modules that its subject names (R33)", () => {
  it.each([
    ["build-unfit", "core", ["core"]],
    ["drift-mended", "node-a", ["node-a"]],
    ["data-lost", "node-a/shop", ["node-a", "shop"]],
    ["consumer-waits", "node-a/shop database", ["node-a", "shop"]],
    ["host-disk-full", "node-a /var/lib/shop", ["node-a"]],
    ["step-failed", "build core@9c1e", ["core"]],
    ["step-failed", "look", []],
    ["artifact-lost", "core", ["core"]],
    ["artifact-lost", "the store", []],
    ["unknown-host", "no node", []],
    ["disk-full", "/srv/shop/.mesh", []],
    ["mesh-stopped", "mesh/shop", []],
    ["source-unreachable", "shop#main", []],
    ["no-such-code", "shop", []],
  ] as const)("%s of %s", (code, subject, names) => {
    expect(listSubjectNames({ code, subject })).toEqual(names);
  });

  it("every kind whose subject is a node or a module says how to read it", () => {
    const named = conditionKinds.filter(({ subject }) => /^(node|module)\b/.test(subject));
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter(({ names }) => names === undefined).map(({ code }) => code)).toEqual([]);
  });
});
