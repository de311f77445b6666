import { describe, expect, it } from "vitest";
import { planFetch } from "../../../src/build/builders/plan-fetch.ts";
import { readPackageLock } from "../../../src/source/imports/package-lock.ts";

const registry = "https://npm.example/";
const digest = "sha512-AAAA";
const own = { name: "@test/app", dependencies: { left: "^1.0.0" } };

function plan(packages: Record<string, unknown>, parts: object = {}): ReturnType<typeof planFetch> {
  const lockText = JSON.stringify({ lockfileVersion: 3, packages: { "": {}, ...packages } });
  return planFetch({ own, lockText, modules: new Set(), registry, ...parts });
}

const good = { version: "1.0.0", resolved: "https://registry.npmjs.org/left/-/left-1.0.0.tgz", integrity: digest };

describe("a hostile lock file is refused, and the package is named (case 53)", () => {
  it.each([
    [
      "from a host that is not the registry",
      { ...good, resolved: "https://evil.example/left.tgz" },
      /comes from https:\/\/evil\.example, which is not the registry of this mesh/,
    ],
    [
      "from an address inside",
      { ...good, resolved: "http://169.254.169.254/latest/left.tgz" },
      /comes from http:\/\/169\.254\.169\.254/,
    ],
    [
      "from the registry's name by http",
      { ...good, resolved: "http://registry.npmjs.org/left.tgz" },
      /comes from http:\/\/registry\.npmjs\.org/,
    ],
    [
      "from a host that only begins like it",
      { ...good, resolved: "https://npm.example.evil.test/left.tgz" },
      /comes from https:\/\/npm\.example\.evil/,
    ],
    [
      "from a host behind a name and a password",
      { ...good, resolved: "https://npm.example@evil.test/left.tgz" },
      /comes from https:\/\/evil\.test/,
    ],
    ["from git", { ...good, resolved: "git+ssh://git@host/x.git#1" }, /does not come from a registry/],
    ["from a file", { ...good, resolved: "file:../left.tgz" }, /does not come from a registry/],
    [
      "from nowhere, with a version that is an address",
      { version: "git+https://x/y", integrity: digest },
      /does not come from a registry/,
    ],
    ["without a digest", { version: "1.0.0", resolved: good.resolved }, /has no digest/],
    ["with a digest of another kind", { ...good, integrity: "md5-AAAA" }, /digest of no known kind/],
    ["bundled in nothing", { version: "1.0.0", inBundle: true }, /says it is bundled/],
    [
      "bundled, and from elsewhere all the same",
      { ...good, inBundle: true, resolved: "https://evil.example/x" },
      /comes from https:\/\/evil/,
    ],
  ])("%s", (_what, entry, message) => {
    const found = plan({ "node_modules/left": entry });
    expect(found).toMatchObject({ kind: "refused", message: expect.stringMatching(message) });
    expect(found).toMatchObject({ message: expect.stringMatching(/^package-lock\.json: node_modules\/left /) });
  });

  it("deep below what is listed", () => {
    const left = { ...good, dependencies: { deep: "1" } };
    const deep = { ...good, resolved: "https://evil.example/x.tgz" };
    expect(plan({ "node_modules/left": left, "node_modules/left/node_modules/deep": deep })).toMatchObject({
      kind: "refused",
      message: expect.stringMatching(/node_modules\/left\/node_modules\/deep comes from/),
    });
  });

  it.each([
    ["an address", "http://169.254.169.254/left.tgz"],
    ["an address behind another name", "npm:left@https://evil.example/left.tgz"],
    ["git", "git+ssh://git@evil.example/left.git"],
    ["a forge", "someone/left"],
    ["a folder", "file:../left"],
    ["the folder above", ".."],
    ["a package beside it", "left.tgz"],
  ])("right, where package.json or another package asks for %s: npm would go there", (_what, spec) => {
    const message = expect.stringMatching(/ for left as ".*": only versions of a registry are fetched$/);
    const locked = { "node_modules/left": good };
    expect(plan(locked, { own: { dependencies: { left: spec } } })).toEqual({ kind: "refused", by: "inputs", message });
    const overrides = { right: { ".": "1", left: spec } };
    expect(plan(locked, { own: { ...own, overrides } })).toEqual({ kind: "refused", by: "inputs", message });
    const right = { ...good, dependencies: { left: spec } };
    const asks = { own: { dependencies: { right: "1" } } };
    expect(plan({ ...locked, "node_modules/right": right }, asks)).toEqual({
      kind: "refused",
      by: "lock-text",
      message,
    });
  });

  it("larger than the limit", () => {
    const many = Object.fromEntries(Array.from({ length: 30_001 }, (_, at) => [`node_modules/p${at}`, good]));
    expect(plan(many)).toEqual({ kind: "refused", by: "inputs", message: expect.stringMatching(/limit is 30000/) });
  });

  it.each([
    ["broken JSON", "{"],
    ["keys that reach into objects", `{"lockfileVersion":3,"packages":{"__proto__":{}}}`],
    ["a version nobody knows", `{"lockfileVersion":9,"packages":{}}`],
  ])("%s", (_what, lockText) => {
    expect(plan({}, { lockText })).toEqual({
      kind: "refused",
      by: "inputs",
      message: expect.stringMatching(/^package-lock\.json: /),
    });
  });
});

describe("a refusal says whether the inputs it is for hold what it was seen in (R8, R11)", () => {
  it.each([
    ["another host", { ...good, resolved: "https://npm.company.test/left/-/left-1.0.0.tgz" }, "lock-text"],
    ["the registry by http", { ...good, resolved: "http://registry.npmjs.org/left/-/left-1.0.0.tgz" }, "lock-text"],
    ["a file with a digest", { ...good, resolved: "file:../left.tgz" }, "lock-text"],
    ["a bundle that nothing bundles", { version: "1.0.0", inBundle: true }, "lock-text"],
    ["git, which has no digest", { version: "1.0.0", resolved: "git+ssh://git@host/x.git#1" }, "inputs"],
    ["no digest", { version: "1.0.0", resolved: good.resolved }, "inputs"],
    ["a digest of no known kind", { ...good, integrity: "md5-AAAA" }, "inputs"],
  ])("%s", (_what, entry, by) => {
    expect(plan({ "node_modules/left": entry })).toMatchObject({ kind: "refused", by });
    const mended = plan({ "node_modules/left": { ...entry, resolved: good.resolved } });
    const locked = (one: object): unknown =>
      readPackageLock(
        new Map([
          ["package.json", JSON.stringify(own)],
          ["package-lock.json", JSON.stringify({ lockfileVersion: 3, packages: { "node_modules/left": one } })],
        ]),
      );
    // Whatever can be mended without another input is no verdict about them.
    expect(locked({ ...entry, resolved: good.resolved })).toEqual(locked(entry));
    if (by === "inputs") expect(mended).toMatchObject({ kind: "refused", by });
  });
});

describe("what is fetched", () => {
  it.each([
    ["from the public registry", good],
    ["from the registry of the mesh", { ...good, resolved: "https://npm.example/left/-/left-1.0.0.tgz" }],
    ["by its version alone", { version: "1.0.0", integrity: digest }],
    ["under another name (npm:)", { ...good, name: "other" }],
    ["with two digests", { ...good, integrity: "sha1-AAAA= sha512-AAAA" }],
  ])("is a package %s", (_what, entry) => {
    expect(plan({ "node_modules/left": entry })).toMatchObject({ kind: "fetch", findings: [] });
  });

  it.each(["*", "latest", ">=1.2.3 <2 || ~3.0.0-rc.1+x", "1 - 2", "", "npm:other@^1", "npm:@s/other@1", "npm:other"])(
    "is a package that is asked for as %j",
    (spec) => {
      const overrides = { left: "$left", "@s/other": "$@s/other" };
      const asks = { own: { dependencies: { left: spec }, overrides } };
      expect(plan({ "node_modules/left": good }, asks)).toMatchObject({ kind: "fetch" });
    },
  );

  it("is what the module needs, and what these bundle; nothing else that the file holds", () => {
    const left = { ...good, dependencies: { inner: "1", peer: "1" }, bundleDependencies: ["inner"] };
    const found = plan({
      "node_modules/left": left,
      "node_modules/left/node_modules/inner": { version: "1.0.0", inBundle: true },
      "node_modules/peer": good,
      "node_modules/other": { resolved: "git+ssh://never/asked" },
    });
    if (found.kind !== "fetch") throw new Error(JSON.stringify(found));
    const written = JSON.parse(found.lockText) as { packages: object };
    expect(Object.keys(written.packages)).toEqual([
      "",
      "node_modules/left",
      "node_modules/left/node_modules/inner",
      "node_modules/peer",
    ]);
  });

  it("is not what a module of the mesh brings, whatever a registry has under its name (case 11)", () => {
    const packages = { "node_modules/left": { ...good, resolved: "https://evil.example/left.tgz" } };
    expect(plan(packages, { modules: new Set(["left"]) })).toEqual({ kind: "nothing", findings: [] });
  });

  it("is not another member of the workspace that is only listed: it is left out, and that is said", () => {
    const packages = { "node_modules/left": good, "node_modules/@acme/lint": { resolved: "tools/lint", link: true } };
    const lists = { ...own, devDependencies: { "@acme/lint": "*" } };
    const found = plan(packages, { own: lists });
    expect(found).toMatchObject({
      kind: "fetch",
      findings: [{ severity: "warning", message: expect.stringMatching(/^lists @acme\/lint, .*: it was left out$/) }],
    });
    expect(JSON.stringify([found.kind === "fetch" && found.packageText, found])).not.toContain('"@acme/lint\\"');
    expect(plan({ "node_modules/left": { resolved: "../left", link: true } })).toMatchObject({ kind: "nothing" });
  });

  it("is less, and that is said, where a package is listed and not locked", () => {
    expect(plan({})).toEqual({
      kind: "nothing",
      findings: [{ severity: "warning", file: "package.json", line: 0, message: expect.stringMatching(/lists left/) }],
    });
  });

  it("does not depend on scripts or workspaces of package.json", () => {
    const scripts = { ...own, scripts: { preinstall: "curl evil" }, workspaces: ["../*"] };
    const found = plan({ "node_modules/left": good }, { own: scripts });
    expect(found).toEqual(plan({ "node_modules/left": good }));
  });
});
