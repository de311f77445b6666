import { describe, expect, it } from "vitest";
import { readPackageLock } from "../../../src/source/imports/package-lock.ts";

const packageJson = (dependencies: Record<string, string>): string => JSON.stringify({ name: "app", dependencies });
const entry = { version: "1.0.0", resolved: "https://a.test/x.tgz", integrity: "sha512-AA", license: "MIT" };
const packages = {
  "": { name: "app" },
  "node_modules/left": { ...entry, dependencies: { deep: "1", shared: "1" } },
  "node_modules/left/node_modules/deep": entry,
  "node_modules/deep": { ...entry, version: "2.0.0" },
  "node_modules/shared": entry,
  "node_modules/other": entry,
};

function read(changed: Record<string, unknown> = {}, dependencies: Record<string, string> = { left: "1" }) {
  const lock = JSON.stringify({ lockfileVersion: 3, packages: { ...packages, ...changed } });
  return readPackageLock(
    new Map([
      ["package.json", packageJson(dependencies)],
      ["package-lock.json", lock],
    ]),
  );
}

describe("what a lock file resolves for a module (R8)", () => {
  it("is what it lists and what these need, each as Node finds it", () => {
    const reading = read();
    if (reading.kind !== "locked") throw new Error(reading.kind);
    expect(reading.entries.map((one) => one.split(" ", 1)[0])).toEqual([
      "node_modules/left",
      "node_modules/left/node_modules/deep",
      "node_modules/shared",
    ]);
  });

  it.each([
    ["where it comes from", { "node_modules/shared": { ...entry, resolved: "https://mirror.test/x.tgz" } }],
    ["words about it", { "node_modules/shared": { ...entry, license: "ISC", funding: "x", engines: { node: "1" } } }],
    ["the order of its fields", { "node_modules/shared": Object.fromEntries(Object.entries(entry).toReversed()) }],
    ["a package that the module does not need", { "node_modules/other": { ...entry, version: "9.0.0" } }],
    ["a package of the same name that another one needs", { "node_modules/deep": { ...entry, version: "9.0.0" } }],
  ])("stays where %s changes", (_what, changed) => {
    expect(read(changed)).toEqual(read());
  });

  it.each([
    ["a version", { "node_modules/shared": { ...entry, version: "1.0.1" } }],
    ["a digest", { "node_modules/left/node_modules/deep": { ...entry, integrity: "sha512-BB" } }],
    ["for whom it is", { "node_modules/left": { ...entry, dev: true, dependencies: { deep: "1", shared: "1" } } }],
    ["the nearest one of a name", { "node_modules/left/node_modules/shared": { ...entry, version: "3.0.0" } }],
  ])("moves with %s", (_what, changed) => {
    expect(read(changed)).not.toEqual(read());
  });

  it("is nothing for a module that lists nothing, even where the file cannot be read", () => {
    expect(read({}, {})).toEqual({ kind: "none" });
    expect(
      readPackageLock(
        new Map([
          ["package.json", packageJson({})],
          ["package-lock.json", "{"],
        ]),
      ),
    ).toEqual({ kind: "none" });
  });

  it("cannot be told where it cannot be read, and every user of it says so", () => {
    const facts = new Map([
      ["package.json", packageJson({ left: "1" })],
      ["package-lock.json", "{"],
    ]);
    expect(readPackageLock(facts)).toMatchObject({
      kind: "refused",
      finding: { file: "package-lock.json", severity: "error" },
    });
  });
});
