import { describe, expect, it } from "vitest";
import type { FileImports, Import, ImportReader } from "../../../src/source/imports/import-reader.ts";
import { type CargoDependency, cargoFile, readCargoManifest } from "../../../src/source/imports/rust-manifest.ts";
import { createRustReader } from "../../../src/source/imports/rust.ts";
import { readEdges } from "../../support/read-edges.ts";
import { rustRows } from "../../support/rust-rows.ts";

const reader = createRustReader();

/** The situations in which a reader gives other edges or other findings than the table has. */
async function findFailures(variant: ImportReader): Promise<string[]> {
  const failures: string[] = [];
  for (const row of rustRows) {
    const found = await readEdges(variant, row.files);
    const said = found.findings.map((one) => `${one.severity} ${one.file}:${one.line}: ${one.message}`);
    const expected = row.findings ?? [];
    const same = said.length === expected.length && expected.every((pattern, at) => pattern.test(said[at] ?? ""));
    if (JSON.stringify(found.edges) !== JSON.stringify(row.edges) || !same) failures.push(row.situation);
  }
  return failures;
}

function changeImports(change: (found: Import) => Import | null): ImportReader {
  const readImports = async (files: Parameters<ImportReader["readImports"]>[0]): Promise<FileImports[]> =>
    (await reader.readImports(files)).map(({ imports, findings }) => ({
      imports: imports.flatMap((found) => change(found) ?? []),
      findings,
    }));
  return { ...reader, readImports };
}

function dropDeclared(drop: (dependency: CargoDependency) => boolean): ImportReader {
  return {
    ...reader,
    createResolver: (context) => {
      const reading = readCargoManifest(context.facts.get(cargoFile));
      const all = reading.kind === "manifest" ? reading.manifest.dependencies : [];
      const resolver = reader.createResolver(context);
      // Without its entry, what code names is found undeclared, if at all: the line of the table is gone.
      const kept = resolver.declared.filter(
        (one) => !all.some((dependency) => dependency.line === one.line && drop(dependency)),
      );
      return { ...resolver, declared: kept };
    },
  };
}

describe("the table", () => {
  it("passes with the reader as it is", async () => {
    expect(await findFailures(reader)).toEqual([]);
  });

  it.each(["static", "reexport", "require", "dynamic", "type"])("fails without imports of kind %s", async (kind) => {
    expect(await findFailures(changeImports((found) => (found.kind === kind ? null : found)))).not.toEqual([]);
  });

  it("fails without the mark of code for tests", async () => {
    const unmark = ({ specifier, kind, line }: Import): Import => ({ specifier, kind, line });
    expect(await findFailures(changeImports(unmark))).not.toEqual([]);
  });

  it.each<[string, (dependency: CargoDependency) => boolean]>([
    ["dependencies", ({ place }) => place[0] === "dependencies"],
    ["for development", ({ kind }) => kind === "dev"],
    ["of build.rs", ({ kind, table }) => kind === "build" && "version" in table],
    ["for a platform", ({ target }) => target !== null],
    ["renamed", ({ key, package: name }) => key !== name],
    ["optional", ({ optional }) => optional],
    ["by path", ({ path }) => path !== null],
    ["in the old spelling", ({ place }) => place.some((key) => key.includes("_dependencies"))],
    ["in an inline table", ({ line }) => line === 1],
    ["never named in code", ({ package: name, kind }) => name === "mesh-colour" && kind === "normal"],
  ])("fails without what is declared %s", async (_, drop) => {
    expect(await findFailures(dropDeclared(drop))).not.toEqual([]);
  });
});
