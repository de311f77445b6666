import { describe, expect, it } from "vitest";
import { createSourceBed } from "./support/source-bed.ts";

type Files = Readonly<Record<string, string>>;

interface Row {
  readonly language: string;
  readonly files: Files;
  /** The file that says the library's name, as nobody can read it. */
  readonly broken: Files;
  readonly edge: Readonly<Record<string, unknown>>;
}

const manifests = (language: string): Files => ({
  "lib/mesh.yaml": `module: lib\nlanguage: ${language}\n`,
  "app/mesh.yaml": `module: app\nlanguage: ${language}\n`,
});

const typescript: Row = {
  language: "typescript",
  files: {
    "lib/package.json": JSON.stringify({ name: "@test/lib", type: "module" }),
    "lib/src/index.ts": "export {};\n",
    "app/package.json": JSON.stringify({ name: "@test/app", type: "module", peerDependencies: { "@test/lib": "*" } }),
    "app/src/a.ts": `import "@test/lib";\nimport "@test/lib/names";\n`,
  },
  broken: { "lib/package.json": "{" },
  edge: { dependency: "lib", kind: "build", file: "src/a.ts", line: 1 },
};

const rows: readonly Row[] = [
  typescript,
  {
    language: "go",
    files: {
      "lib/go.mod": "module example.org/lib\n\ngo 1.22\n",
      "lib/lib.go": "package lib\n",
      "app/go.mod": "module example.org/app\n\ngo 1.22\n\nrequire example.org/lib v0.0.0\n",
      "app/main.go": `package main\n\nimport _ "example.org/lib"\n`,
    },
    broken: { "lib/go.mod": "modul\n" },
    edge: { dependency: "lib", kind: "build", file: "main.go", line: 3 },
  },
  {
    language: "python",
    files: {
      "lib/pyproject.toml": `[project]\nname = "lib"\nversion = "0"\n`,
      "lib/lib/__init__.py": "",
      "app/pyproject.toml": `[project]\nname = "app"\nversion = "0"\ndependencies = ["lib"]\n`,
      "app/app/__init__.py": "import lib\n",
    },
    broken: { "lib/pyproject.toml": "[project" },
    edge: { dependency: "lib", kind: "build", file: "app/__init__.py", line: 1 },
  },
  {
    language: "rust",
    files: {
      "lib/Cargo.toml": `[package]\nname = "lib"\nversion = "0.0.0"\nedition = "2021"\n`,
      "lib/src/lib.rs": "",
      "app/Cargo.toml": `[package]\nname = "app"\nversion = "0.0.0"\nedition = "2021"\n\n[dependencies]\nlib = "*"\n`,
      "app/src/lib.rs": "use lib as _;\n",
    },
    broken: { "lib/Cargo.toml": "[package" },
    edge: { dependency: "lib", kind: "build" },
  },
];

describe("a module that cannot be read any more", { timeout: 60_000 }, () => {
  it.each(rows)("is still whom others import, when its own files do not read ($language)", async (row) => {
    const bed = await createSourceBed();
    const modules = ["lib", "app"];
    await bed.origin("code").commit({ ...manifests(row.language), ...row.files });
    expect((await bed.factsSince(modules))["app"]).toMatchObject({ problem: null, edges: [row.edge] });
    await bed.origin("code").commit({ ...row.broken });
    const first = await bed.factsSince(modules);
    for (const facts of [first, await bed.factsSince(modules)]) {
      expect(facts["lib"]?.problem).not.toBeNull();
      expect(facts["app"]).toMatchObject({ problem: null, edges: [row.edge] });
    }
    // Who imports it may move meanwhile.
    const [file = ""] = Object.keys(row.files).filter(
      (path) => path.startsWith("app/") && /\.(ts|go|py|rs)$/.test(path),
    );
    await bed.origin("code").commit({ [file]: `${row.files[file]}\n` });
    expect((await bed.factsSince(modules))["app"]).toMatchObject({ problem: null, edges: [row.edge] });
    await bed.origin("code").commit({ ...row.files });
    const mended = await bed.factsSince(modules);
    expect(mended).toMatchObject({ lib: { problem: null }, app: { problem: null, edges: [row.edge] } });
  });

  it.each(rows)("is still whom others import, when its manifest does not read ($language)", async (row) => {
    const bed = await createSourceBed();
    const modules = ["lib", "app"];
    await bed.origin("code").commit({ ...manifests(row.language), ...row.files });
    await bed.factsSince(modules);
    await bed.origin("code").commit({ "lib/mesh.yaml": "module: [\n" });
    const facts = await bed.factsSince(modules);
    expect(facts["lib"]?.problem?.message).toMatch(/^mesh\.yaml:/);
    expect(facts["app"]).toMatchObject({ problem: null, edges: [row.edge] });
  });

  it("publishes nothing once its folder is gone, and what others import is nobody's", async () => {
    const bed = await createSourceBed();
    const modules = ["lib", "app"];
    await bed.origin("code").commit({ ...manifests("typescript"), ...typescript.files });
    await bed.factsSince(modules);
    await bed.origin("code").commit({ lib: null });
    const facts = await bed.factsSince(modules);
    expect(facts["app"]?.problem?.message).toMatch(/no module publishes/);
  });
});
